// Pairwise dot products: a block a sample, a thread for each pair.
// @task dot_interaction
// @flags -std=c++17; --use_fast_math?
// @launch dots grid=(batch) block=(128)
extern "C" __global__ void dots(const float* x, float* y, size_t batch, size_t features, size_t dim) {
  const float* rows = x + blockIdx.x * features * dim;
  const size_t pairs = features * (features - 1) / 2;
  size_t pair = 0;
  for (size_t i = 1; i < features; ++i)
    for (size_t j = 0; j < i; ++j, ++pair) {
      if (pair % blockDim.x != threadIdx.x) continue;
      float sum = 0;
      for (size_t d = 0; d < dim; ++d) sum += rows[i * dim + d] * rows[j * dim + d];
      y[blockIdx.x * pairs + pair] = sum;
    }
}
