// RMS normalisation: part of a row stays in registers, sums go through shuffles.
// @task rmsnorm
// @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                  floats of one access
// @knob KEPT int {0, 1, 2, 4, 8, 16} = 4       accesses of a thread that stay in registers
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

template <int N> __device__ void row(const float* x, const float* weight, float* y, size_t cols) {
  using V = Vector<N>;
  const V* in = reinterpret_cast<const V*>(x);
  const V* scale = reinterpret_cast<const V*>(weight);
  V* out = reinterpret_cast<V*>(y);
  const size_t count = cols / N;
  V kept[KEPT > 0 ? KEPT : 1];
  float squares = 0;
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const size_t at = threadIdx.x + size_t(k) * THREADS;
    if (at < count) {
      kept[k] = load(in + at);
#pragma unroll
      for (int i = 0; i < N; ++i) squares = fmaf(kept[k].v[i], kept[k].v[i], squares);
    }
  }
  for (size_t at = threadIdx.x + size_t(KEPT) * THREADS; at < count; at += THREADS) {
    const V one = in[at];
#pragma unroll
    for (int i = 0; i < N; ++i) squares = fmaf(one.v[i], one.v[i], squares);
  }
  squares = joined_in_block<THREADS>(squares, Sum());
  const float inverse = isfinite(squares) ? 1 / sqrtf(squares / cols + 1e-5f) : nanf("");
  const auto write = [&](size_t at, V one) {
    const V w = scale[at];
#pragma unroll
    for (int i = 0; i < N; ++i) one.v[i] *= inverse * w.v[i];
    put<STORES == STORES_streaming>(out + at, one);
  };
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const size_t at = threadIdx.x + size_t(k) * THREADS;
    if (at < count) write(at, kept[k]);
  }
  for (size_t at = threadIdx.x + size_t(KEPT) * THREADS; at < count; at += THREADS) write(at, in[at]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, size_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  if (cols % VEC == 0) row<VEC>(x, weight, y, cols);
  else row<1>(x, weight, y, cols);
}
