// Batch event truncate: a thread for some neighbours of a row of y, in one access; the events in front of them lie
// anywhere and come one by one, or in two accesses that hold them all.
// @task truncate_32
// @knob THREADS int {64, 128, 256, 512} = 256
// @knob VEC int {1, 2, 4} = 2                     floats of one store
// @knob ITEMS int {1, 2, 4, 8} = 2                stores of a thread, their loads in flight together
// @knob READ enum {single, whole} = single        how four events come
// @knob GRID enum {full, resident} = full         a thread for each ITEMS stores, or as many as run at a time
// @knob STREAM bool = false                       stores pass the caches by
// @require READ == 0 || VEC == 4
// @flags -std=c++17; -maxrregcount={,32,64}
// @launch truncated grid=(ceil_div(features*batch*kept, THREADS*VEC*ITEMS)) block=(THREADS) when=GRID == 0
// @+                args=(values, start, length, y, int32(features*batch), int32(kept), int32(events))
// @launch truncated grid=(min(ceil_div(features*batch*kept, THREADS*VEC*ITEMS), sm_count*occupancy(truncated)))
// @+                block=(THREADS) when=GRID == 1
// @+                args=(values, start, length, y, int32(features*batch), int32(kept), int32(events))

#include "gpu_access.cuh"

/// values[at .. at + 4) out of the two aligned accesses around them; at + 7 lies in values.
__device__ Vector<4> around(const float* values, int at) {
  const auto* aligned = reinterpret_cast<const Vector<4>*>(values + at / 4 * 4);
  const Vector<4> low = aligned[0], high = aligned[1];
  const int by = at % 4;
  Vector<4> made;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    made.v[i] = low.v[i];
#pragma unroll
    for (int shift = 1; shift < 4; ++shift)
      if (by == shift) made.v[i] = i + shift < 4 ? low.v[(i + shift) % 4] : high.v[(i + shift) % 4];
  }
  return made;
}

/// Elements [j, j + N) of row h.
template <int N>
__device__ Vector<N> taken(const float* values, const int* start, const int* length, int h, int j, int kept,
                           int events) {
  const int has = length[h], n = min(has, kept), at = start[h] + has - n + j;
  Vector<N> made{};
  if constexpr (READ == READ_whole && N == 4) {
    if (j < n && at + 7 < events) {
      made = around(values, at);
#pragma unroll
      for (int i = 1; i < N; ++i)
        if (j + i >= n) made.v[i] = 0;
      return made;
    }
  }
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (j + i < n) made.v[i] = values[at + i];
  return made;
}

template <int N>
__device__ void rows(const float* values, const int* start, const int* length, float* y, int histories, int kept,
                     int events) {
  const int across = kept / N, all = histories * across;
  for (int first = blockIdx.x * THREADS * ITEMS + threadIdx.x; first < all; first += gridDim.x * THREADS * ITEMS) {
    Vector<N> made[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; ++u) {
      const int at = min(first + u * THREADS, all - 1);
      made[u] = taken<N>(values, start, length, at / across, at % across * N, kept, events);
    }
#pragma unroll
    for (int u = 0; u < ITEMS; ++u)
      if (first + u * THREADS < all) put<STREAM>(reinterpret_cast<Vector<N>*>(y) + first + u * THREADS, made[u]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
truncated(const float* __restrict__ values, const int* __restrict__ start, const int* __restrict__ length,
          float* __restrict__ y, int histories, int kept, int events) {
  if (kept % VEC == 0) rows<VEC>(values, start, length, y, histories, kept, events);
  else rows<1>(values, start, length, y, histories, kept, events);
}
