// Sums of table rows: a thread for each output element.
// @task embedding_bag
// @flags -std=c++17; --use_fast_math?
// @launch embedding_bag grid=(bags) block=(128)
extern "C" __global__ void embedding_bag(const float* table, const int* indices, float* out, size_t vocab,
                                         size_t dim, size_t bags, size_t bag) {
  const size_t i = blockIdx.x;
  for (size_t d = threadIdx.x; d < dim; d += blockDim.x) {
    float sum = 0;
    for (size_t j = 0; j < bag; ++j) sum += table[size_t(indices[i * bag + j]) * dim + d];
    out[i * dim + d] = sum;
  }
}
