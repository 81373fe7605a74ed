// Bucketize and map: boundaries and table in shared memory, the first level of the search in registers.
// @task map_id
// @knob THREADS int {64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                        floats of one access
// @knob STEPS int {1, 2, 4, 8} = 1                   accesses of a thread in flight
// @knob PIVOTS int {0, 4, 8, 16} = 0                 boundaries kept in registers, compared with at once
// @knob SEARCH enum {halving, counting} = halving    how the rest is searched
// @knob GRID enum {full, resident} = full            a block for each part, or blocks that stay and go on
// @knob STREAM bool = false                          values pass the caches by
// @knob AHEAD bool = false                           values are asked for before the boundaries have come
// @require SEARCH == 0 || PIVOTS >= 8
// @flags -std=c++17; -maxrregcount={,32,64}
// @launch in_shared grid=(ceil_div(rows*cols, THREADS*VEC*STEPS)) block=(THREADS)
// @+      shared=4*(2*(PIVOTS + 1)*ceil_div(nb + 1, max(PIVOTS, 1)) + nb + 1) when=GRID == 0 &&
// @+      4*(2*(PIVOTS + 1)*ceil_div(nb + 1, max(PIVOTS, 1)) + nb + 1) <= smem_optin
// @+      args=(x, boundaries, table, out, rows*cols, int32(nb))
// @launch in_shared grid=(4*sm_count) block=(THREADS)
// @+      shared=4*(2*(PIVOTS + 1)*ceil_div(nb + 1, max(PIVOTS, 1)) + nb + 1) when=GRID == 1 &&
// @+      4*(2*(PIVOTS + 1)*ceil_div(nb + 1, max(PIVOTS, 1)) + nb + 1) <= smem_optin
// @+      args=(x, boundaries, table, out, rows*cols, int32(nb))
// @launch in_global grid=(ceil_div(rows*cols, THREADS)) block=(THREADS)
// @+      when=4*(2*(PIVOTS + 1)*ceil_div(nb + 1, max(PIVOTS, 1)) + nb + 1) > smem_optin
// @+      args=(x, boundaries, table, out, rows*cols, int32(nb))

#include "gpu_access.cuh"

/// Boundaries in parts of `part`, a power of two, padded with +inf; pivots end the first PIVOTS of them, so a part has
/// one less to search.
struct Search {
  float *boundaries, *table;
  int part;
  float pivots[PIVOTS > 0 ? PIVOTS : 1];

  /// By the whole block, into shared memory.
  __device__ Search(float* memory, const float* from, const float* values, int nb) : boundaries(memory), part(1) {
    const int least = PIVOTS > 0 ? (nb + PIVOTS - 1) / (PIVOTS > 0 ? PIVOTS : 1) : nb + 1;
    while (part < least) part *= 2;
    const int padded = (PIVOTS + 1) * part;
    table = memory + padded;
    for (int k = threadIdx.x; k < padded; k += THREADS) memory[k] = k < nb ? from[k] : __int_as_float(0x7f800000);
    for (int k = threadIdx.x; k <= nb; k += THREADS) table[k] = values[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < PIVOTS; ++k) pivots[k] = boundaries[(k + 1) * part - 1];
  }

  /// All N at once, so that they wait for shared memory together.
  template <int N> __device__ void replace(Vector<N>& values) const {
    int below[N] = {};
#pragma unroll
    for (int k = 0; k < PIVOTS; ++k)
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (pivots[k] < values.v[i]) below[i] += part;
    if constexpr (SEARCH == SEARCH_counting) {
      int first[N];
#pragma unroll
      for (int i = 0; i < N; ++i) first[i] = below[i];
      for (int k = 0; k < part - 1; ++k)
#pragma unroll
        for (int i = 0; i < N; ++i) below[i] += boundaries[first[i] + k] < values.v[i];
    } else {
      for (int step = part / 2; step > 0; step /= 2)
#pragma unroll
        for (int i = 0; i < N; ++i)
          if (boundaries[below[i] + step - 1] < values.v[i]) below[i] += step;
    }
#pragma unroll
    for (int i = 0; i < N; ++i) values.v[i] = table[below[i]];
  }
};

extern __shared__ float memory[];

__device__ void map(const float* x, const float* boundaries, const float* table, float* out, size_t n, int nb) {
  using V = Vector<VEC>;
  const size_t count = n / VEC, stride = size_t(gridDim.x) * THREADS * STEPS;
  V values[STEPS];
  const auto take_from = [&](size_t first) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const size_t at = first + s * THREADS;
      if (at < count) values[s] = take<STREAM>(reinterpret_cast<const V*>(x) + at);
    }
  };
  size_t first = blockIdx.x * size_t(THREADS) * STEPS + threadIdx.x;
  if (AHEAD) take_from(first);
  const Search search(memory, boundaries, table, nb);
  while (first < count) {
    if (!AHEAD) take_from(first);
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const size_t at = first + s * THREADS;
      if (at >= count) continue;
      search.replace(values[s]);
      put<STREAM>(reinterpret_cast<V*>(out) + at, values[s]);
    }
    first += stride;
    if (AHEAD) take_from(first);
  }
  const size_t rest = count * VEC + threadIdx.x;
  if (blockIdx.x > 0 || rest >= n) return;
  Vector<1> one{{x[rest]}};
  search.replace(one);
  out[rest] = one.v[0];
}

extern "C" __global__ void __launch_bounds__(THREADS)
in_shared(const float* __restrict__ x, const float* __restrict__ boundaries, const float* __restrict__ table,
          float* __restrict__ out, size_t n, int nb) {
  map(x, boundaries, table, out, n, nb);
}

extern "C" __global__ void __launch_bounds__(THREADS)
in_global(const float* __restrict__ x, const float* __restrict__ boundaries, const float* __restrict__ table,
          float* __restrict__ out, size_t n, int nb) {
  const size_t at = blockIdx.x * size_t(THREADS) + threadIdx.x;
  if (at >= n) return;
  int below = 0, end = nb;
  while (below < end) {
    const int middle = (below + end) / 2;
    if (boundaries[middle] < x[at]) below = middle + 1;
    else end = middle;
  }
  out[at] = table[below];
}
