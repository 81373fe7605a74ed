// Running sums: a block scans parts of a row; sums of threads go through shuffles, those of warps through shared
// memory, those of parts along the row.
// @task cumsum
// @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                      consecutive floats of a thread, one access
// @knob PARTS int {1, 2, 4, 8} = 1                 parts loaded and scanned at a time
// @knob WARPS enum {serial, shuffled} = serial     how sums of warps are added up
// @knob STREAM_IN bool = false                     loads pass the caches by
// @knob STREAM_OUT bool = false
// @flags -std=c++17; -maxrregcount={,32,64,128}
// @launch cumsum grid=(rows) block=(THREADS) args=(x, y, cols)

#include "gpu_access.cuh"

constexpr int warps = THREADS / 32;

/// Sum over the lanes up to this one.
__device__ float running_in_warp(float value) {
#pragma unroll
  for (int back = 1; back < 32; back *= 2) {
    const float other = __shfl_up_sync(~0u, value, back);
    if (threadIdx.x % 32 >= back) value += other;
  }
  return value;
}

/// Of each part: what stands in front of this thread within the part, and the part's sum.
__device__ void scan(const float (&own)[PARTS], float (&front)[PARTS], float (&sum)[PARTS]) {
  __shared__ float ends[PARTS][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int p = 0; p < PARTS; ++p) {
    const float upto = running_in_warp(own[p]);
    const float before = __shfl_up_sync(~0u, upto, 1);
    front[p] = lane == 0 ? 0 : before;
    sum[p] = __shfl_sync(~0u, upto, 31);
    if (warps > 1 && lane == 31) ends[p][warp] = upto;
  }
  if (warps == 1) return;
  __syncthreads();
#pragma unroll
  for (int p = 0; p < PARTS; ++p) {
    float before = 0, all = 0;
    if (WARPS == WARPS_serial) {
      for (int w = 0; w < warps; ++w) {
        if (w == warp) before = all;
        all += ends[p][w];
      }
    } else {
      const float upto = running_in_warp(lane < warps ? ends[p][lane] : 0);
      before = warp == 0 ? 0 : __shfl_sync(~0u, upto, warp - 1);
      all = __shfl_sync(~0u, upto, 31);
    }
    front[p] += before;
    sum[p] = all;
  }
  __syncthreads();
}

template <int N> __device__ void row(const float* x, float* y, size_t cols) {
  using V = Vector<N>;
  const V* in = reinterpret_cast<const V*>(x);
  const size_t count = cols / N;
  float reached = 0;
  for (size_t first = 0; first < count; first += size_t(THREADS) * PARTS) {
    V values[PARTS];
    float own[PARTS], front[PARTS], sum[PARTS];
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
      const size_t at = first + size_t(p) * THREADS + threadIdx.x;
      values[p] = at < count ? take<STREAM_IN>(in + at) : V{};
    }
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
#pragma unroll
      for (int i = 1; i < N; ++i) values[p].v[i] += values[p].v[i - 1];
      own[p] = values[p].v[N - 1];
    }
    scan(own, front, sum);
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
      const size_t at = first + size_t(p) * THREADS + threadIdx.x;
#pragma unroll
      for (int i = 0; i < N; ++i) values[p].v[i] += reached + front[p];
      if (at < count) put<STREAM_OUT>(reinterpret_cast<V*>(y) + at, values[p]);
      reached += sum[p];
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
cumsum(const float* __restrict__ x, float* __restrict__ y, size_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  if (cols % VEC == 0) row<VEC>(x, y, cols);
  else row<1>(x, y, cols);
}
