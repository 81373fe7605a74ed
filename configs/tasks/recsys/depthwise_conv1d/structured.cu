// Causal depthwise convolution: a thread makes some consecutive outputs and loads the three
// values in front of them again.
// @task depthwise_conv1d
// @knob THREADS int {64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                  floats of one access
// @knob STEPS int {1, 2, 4, 8} = 1             accesses of a thread
// @knob HALO enum {reload, shuffle} = reload   where the values in front come from
// @knob STREAM bool = false                    loads and stores that pass the caches by
// @require HALO == 0 || VEC == 4
// @flags -std=c++17; -maxrregcount={,32,64}
// @launch conv grid=(ceil_div(length, THREADS*VEC*STEPS), min(batch*channels, 65535)) block=(THREADS)
// @+           args=(x, weight, y, batch*channels, channels, length)

#include "gpu_access.cuh"

template <int N>
__device__ void outputs(const float* x, const float4 w, float* y, size_t t, size_t length) {
  using V = Vector<N>;
  const bool inside = t < length;
  const V own = inside ? take<STREAM>(reinterpret_cast<const V*>(x + t)) : V{};
  float line[N + 3];
#pragma unroll
  for (int i = 0; i < N; ++i) line[i + 3] = own.v[i];
  if constexpr (HALO == HALO_shuffle && N == 4) {
#pragma unroll
    for (int back = 1; back <= 3; ++back) {
      float before = __shfl_up_sync(~0u, own.v[N - back], 1);
      if (threadIdx.x % 32 == 0) before = inside && t >= back ? x[t - back] : 0;
      line[3 - back] = before;
    }
  } else {
#pragma unroll
    for (int back = 1; back <= 3; ++back) line[3 - back] = inside && t >= back ? x[t - back] : 0;
  }
  if (!inside) return;
  V made;
#pragma unroll
  for (int i = 0; i < N; ++i)
    made.v[i] = fmaf(w.x, line[i], fmaf(w.y, line[i + 1], fmaf(w.z, line[i + 2], w.w * line[i + 3])));
  if constexpr (N == 4 && STREAM) {
    __stcs(reinterpret_cast<float4*>(y + t), make_float4(made.v[0], made.v[1], made.v[2], made.v[3]));
  } else {
    *reinterpret_cast<V*>(y + t) = made;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
conv(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, size_t rows,
     size_t channels, size_t length) {
  for (size_t row = blockIdx.y; row < rows; row += gridDim.y) {
    const float4 w = reinterpret_cast<const float4*>(weight)[row % channels];
    const size_t block = blockIdx.x * size_t(THREADS) * VEC * STEPS;
    if (length % VEC == 0) {
#pragma unroll
      for (int s = 0; s < STEPS; ++s)
        outputs<VEC>(x + row * length, w, y + row * length, block + (s * THREADS + threadIdx.x) * VEC, length);
    } else {
      for (int s = 0; s < STEPS * VEC; ++s)
        outputs<1>(x + row * length, w, y + row * length, block + s * THREADS + threadIdx.x, length);
    }
  }
}
