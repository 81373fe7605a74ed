// RMS normalisation: part of a row stays in registers, sums go through shuffles.
// @task rmsnorm
// @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                  floats of one access
// @knob KEPT int {0, 1, 2, 4, 8, 16} = 4       accesses of a thread that stay in registers
// @knob UNROLL int {1, 2, 4} = 4               accesses under way together beyond those
// @knob LOADS enum {plain, streaming, bypass} = plain
// @knob STORES enum {plain, streaming} = plain
// @require THREADS * VEC * KEPT <= 16384
// @flags -std=c++17; --use_fast_math?; -maxrregcount={,32,64,128}
// @launch rmsnorm grid=(rows) block=(THREADS) args=(x, weight, y, cols)

#include "gpu_access.cuh"
#include "gpu_reduce.cuh"

template <typename T> __device__ T load(const T* from) {
  T value;
  float* to = reinterpret_cast<float*>(&value);
  if constexpr (sizeof(T) == 16 && LOADS != LOADS_plain) {
    const float4 four = LOADS == LOADS_streaming ? __ldcs(reinterpret_cast<const float4*>(from))
                                                 : __ldcg(reinterpret_cast<const float4*>(from));
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
    return value;
  }
  return *from;
}

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, size_t length) {
  using V = Vector<VEC>;
  const unsigned cols = length;  // 32 bits count the floats of a row
  x += blockIdx.x * length;
  y += blockIdx.x * length;
  const V* in = reinterpret_cast<const V*>(x);
  const V* scale = reinterpret_cast<const V*>(weight);
  V* out = reinterpret_cast<V*>(y);
  const bool whole = cols % VEC == 0;
  const unsigned count = cols / VEC;
  V kept[KEPT > 0 ? KEPT : 1];
  float squares = 0;
  if (whole) {
    const auto add = [&](const V& one) {
#pragma unroll
      for (int i = 0; i < VEC; ++i) squares = fmaf(one.v[i], one.v[i], squares);
    };
#pragma unroll
    for (int k = 0; k < KEPT; ++k) {
      const unsigned at = threadIdx.x + k * THREADS;
      if (at < count) add(kept[k] = load(in + at));
    }
#pragma unroll UNROLL
    for (unsigned at = threadIdx.x + KEPT * THREADS; at < count; at += THREADS) add(in[at]);
  } else {
#pragma unroll 1
    for (unsigned at = threadIdx.x; at < cols; at += THREADS) squares = fmaf(x[at], x[at], squares);
  }
  squares = joined_in_block<THREADS>(squares, Sum());
  const float inverse = isfinite(squares) ? rsqrtf(__fdividef(squares, cols) + 1e-5f) : nanf("");
  if (whole) {
    const auto write = [&](unsigned at, V one) {
      const V w = scale[at];
#pragma unroll
      for (int i = 0; i < VEC; ++i) one.v[i] *= inverse * w.v[i];
      put<STORES == STORES_streaming>(out + at, one);
    };
#pragma unroll
    for (int k = 0; k < KEPT; ++k) {
      const unsigned at = threadIdx.x + k * THREADS;
      if (at < count) write(at, kept[k]);
    }
#pragma unroll UNROLL
    for (unsigned at = threadIdx.x + KEPT * THREADS; at < count; at += THREADS) write(at, in[at]);
  } else {
#pragma unroll 1
    for (unsigned at = threadIdx.x; at < cols; at += THREADS) y[at] = x[at] * (inverse * weight[at]);
  }
}
