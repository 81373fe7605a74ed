// Bucketize and map: boundaries and table in shared memory, the first level of the search in registers.
// @task map_id
// @knob THREADS int {64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                        floats of one access
// @knob STEPS int {1, 2, 4, 8} = 1                   accesses of a thread in flight
// @knob PIVOTS int {0, 4, 8, 16} = 0                 boundaries kept in registers, compared with at once
// @knob SEARCH enum {halving, counting} = halving    how the rest is searched
// @knob GRID enum {full, resident} = full            a block for each part, or blocks that stay and go on
// @knob STREAM bool = false                          values pass the caches by
// @require SEARCH == 0 || PIVOTS >= 8
// @flags -std=c++17; -maxrregcount={,32,64}
// @launch in_shared grid=(ceil_div(rows*cols, THREADS*VEC*STEPS)) block=(THREADS) shared=8*nb + 4
// @+      when=GRID == 0 && 8*nb + 4 <= smem_optin args=(x, boundaries, table, out, rows*cols, int32(nb))
// @launch in_shared grid=(4*sm_count) block=(THREADS) shared=8*nb + 4
// @+      when=GRID == 1 && 8*nb + 4 <= smem_optin args=(x, boundaries, table, out, rows*cols, int32(nb))
// @launch in_global grid=(ceil_div(rows*cols, THREADS*VEC*STEPS)) block=(THREADS)
// @+      when=8*nb + 4 > smem_optin args=(x, boundaries, table, out, rows*cols, int32(nb))

#include "gpu_access.cuh"

/// Boundaries in PIVOTS parts of `part`, the last maybe shorter; pivots end them: a part has one less to search.
struct Search {
  const float *boundaries, *table;
  int nb, part, top;
  float pivots[PIVOTS > 0 ? PIVOTS : 1];

  __device__ Search(const float* boundaries, const float* table, int nb)
      : boundaries(boundaries), table(table), nb(nb), part(PIVOTS > 0 ? (nb + PIVOTS - 1) / PIVOTS : nb + 1), top(1) {
    while (2 * top < part) top *= 2;
#pragma unroll
    for (int k = 0; k < PIVOTS; ++k) pivots[k] = boundaries[min((k + 1) * part, nb) - 1];
  }

  __device__ float operator()(float value) const {
    int below = 0;
#pragma unroll
    for (int k = 0; k < PIVOTS; ++k) below += pivots[k] < value ? part : 0;
    below = min(below, nb);
    const int end = min(below + part - 1, nb);
    if constexpr (SEARCH == SEARCH_counting) {
      for (int k = below; k < end; ++k) below += boundaries[k] < value;
    } else {
      for (int step = top; step > 0; step /= 2)
        if (below + step <= end && boundaries[below + step - 1] < value) below += step;
    }
    return table[below];
  }
};

__device__ void map(const float* x, const Search& search, float* out, size_t n) {
  using V = Vector<VEC>;
  const size_t count = n / VEC, stride = size_t(gridDim.x) * THREADS * STEPS;
  for (size_t first = blockIdx.x * size_t(THREADS) * STEPS + threadIdx.x; first < count; first += stride) {
    V values[STEPS];
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const size_t at = first + s * THREADS;
      if (at < count) values[s] = take<STREAM>(reinterpret_cast<const V*>(x) + at);
    }
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const size_t at = first + s * THREADS;
      if (at >= count) continue;
#pragma unroll
      for (int i = 0; i < VEC; ++i) values[s].v[i] = search(values[s].v[i]);
      put<STREAM>(reinterpret_cast<V*>(out) + at, values[s]);
    }
  }
  const size_t rest = count * VEC + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) out[rest] = search(x[rest]);
}

extern __shared__ float memory[];

extern "C" __global__ void __launch_bounds__(THREADS)
in_shared(const float* __restrict__ x, const float* __restrict__ boundaries, const float* __restrict__ table,
          float* __restrict__ out, size_t n, int nb) {
  float* kept = memory + nb;
  for (int k = threadIdx.x; k < nb; k += THREADS) memory[k] = boundaries[k];
  for (int k = threadIdx.x; k <= nb; k += THREADS) kept[k] = table[k];
  __syncthreads();
  map(x, Search(memory, kept, nb), out, n);
}

extern "C" __global__ void __launch_bounds__(THREADS)
in_global(const float* __restrict__ x, const float* __restrict__ boundaries, const float* __restrict__ table,
          float* __restrict__ out, size_t n, int nb) {
  map(x, Search(boundaries, table, nb), out, n);
}
