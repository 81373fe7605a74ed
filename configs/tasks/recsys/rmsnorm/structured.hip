// RMS normalisation: part of a row stays in registers, sums go through shuffles of waves of any size.
// @task rmsnorm
// @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                  floats of one access
// @knob KEPT int {0, 1, 2, 4, 8, 16} = 4       accesses of a thread that stay in registers
// @knob LOADS enum {plain, streaming} = plain
// @knob STORES enum {plain, streaming} = plain
// @require THREADS * VEC * KEPT <= 16384
// @flags -std=c++17; -fgpu-flush-denormals-to-zero?
// @launch rmsnorm grid=(rows) block=(THREADS) args=(x, weight, y, cols)

#include "hip_rows.h"

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
      kept[k] = take<LOADS == LOADS_streaming>(in + at);
#pragma unroll
      for (int i = 0; i < N; ++i) squares = fmaf(kept[k].v[i], kept[k].v[i], squares);
    }
  }
  const size_t rest = threadIdx.x + size_t(KEPT) * THREADS;
  for (size_t at = rest; at < count; at += THREADS) {
    const V one = in[at];
#pragma unroll
    for (int i = 0; i < N; ++i) squares = fmaf(one.v[i], one.v[i], squares);
  }
  squares = joined_in_block<THREADS>(squares, Sum());
  // An infinity would leave zeros beside it: the row is NaN by the task.
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
  for (size_t at = rest; at < count; at += THREADS) write(at, in[at]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, size_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  if (cols % VEC == 0) row<VEC>(x, weight, y, cols);
  else row<1>(x, weight, y, cols);
}
