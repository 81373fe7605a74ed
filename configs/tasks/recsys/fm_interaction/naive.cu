// Compressed feature interaction: a block a sample, the inner product in scratch memory.
// @task fm_interaction
// @flags -std=c++17; --use_fast_math?
// @scratch inner float32 [batch, dim, factors]
// @launch inner_product grid=(batch) block=(128) args=(x, p, inner, features, dim, factors)
// @launch outer_product grid=(batch) block=(128) args=(x, inner, y, features, dim, factors)
extern "C" __global__ void inner_product(const float* x, const float* p, float* inner, size_t features, size_t dim,
                                         size_t factors) {
  const float* rows = x + blockIdx.x * features * dim;
  const float* parts = p + blockIdx.x * features * factors;
  for (size_t at = threadIdx.x; at < dim * factors; at += 128) {
    float sum = 0;
    for (size_t j = 0; j < features; ++j) sum += rows[j * dim + at / factors] * parts[j * factors + at % factors];
    inner[blockIdx.x * dim * factors + at] = sum;
  }
}

extern "C" __global__ void outer_product(const float* x, const float* inner, float* y, size_t features, size_t dim,
                                         size_t factors) {
  const float* rows = x + blockIdx.x * features * dim;
  const float* sums = inner + blockIdx.x * dim * factors;
  for (size_t at = threadIdx.x; at < features * factors; at += 128) {
    float sum = 0;
    for (size_t d = 0; d < dim; ++d) sum += rows[at / factors * dim + d] * sums[d * factors + at % factors];
    y[blockIdx.x * features * factors + at] = sum;
  }
}
