// Sums of table rows: lanes across a row, several rows in flight, several bags a block.
// @task embedding_bag
// @knob LANES int {8, 16, 32, 64} = 32       threads that share a bag
// @knob GROUPS int {1, 2, 4, 8, 16, 32} = 4  bags of a block
// @knob VEC int {1, 2, 4} = 4                floats of one access
// @knob UNROLL int {1, 2, 4, 8, 16} = 4      rows in flight
// @knob STREAM bool = false                  rows pass the caches by
// @require LANES * GROUPS <= 1024
// @flags -std=c++17; -maxrregcount={,32,64,128}
// @launch embedding_bag grid=(ceil_div(bags, GROUPS)) block=(LANES, GROUPS) args=(table, indices, out, dim, bags, bag)

#include "gpu_access.cuh"

template <int N>
__device__ void sum_rows(const float* table, const int* indices, float* out, size_t dim, size_t bag) {
  using V = Vector<N>;
  for (size_t d = threadIdx.x; d < dim / N; d += LANES) {
    V sum{};
    size_t j = 0;
    for (; j + UNROLL <= bag; j += UNROLL) {
      V rows[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
        rows[u] = take<STREAM>(reinterpret_cast<const V*>(table + size_t(indices[j + u]) * dim) + d);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
#pragma unroll
        for (int i = 0; i < N; ++i) sum.v[i] += rows[u].v[i];
    }
    for (; j < bag; ++j) {
      const V one = take<STREAM>(reinterpret_cast<const V*>(table + size_t(indices[j]) * dim) + d);
#pragma unroll
      for (int i = 0; i < N; ++i) sum.v[i] += one.v[i];
    }
    reinterpret_cast<V*>(out)[d] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(LANES * GROUPS)
embedding_bag(const float* __restrict__ table, const int* __restrict__ indices, float* __restrict__ out,
              size_t dim, size_t bags, size_t bag) {
  const size_t i = blockIdx.x * size_t(GROUPS) + threadIdx.y;
  if (i >= bags) return;
  if (dim % VEC == 0) sum_rows<VEC>(table, indices + i * bag, out + i * dim, dim, bag);
  else sum_rows<1>(table, indices + i * bag, out + i * dim, dim, bag);
}
