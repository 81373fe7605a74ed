// Layer normalisation: part of a row stays in registers, sums go through shuffles.
// @task layernorm
// @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                        floats of one access
// @knob KEPT int {0, 1, 2, 4, 8, 16} = 4             accesses of a thread that stay in registers
// @knob MOMENTS enum {centred, shifted} = centred    variance about the mean, or both in one pass
// @knob STREAM_IN bool = false                       rows pass the caches by
// @knob STREAM_OUT bool = false
// @require THREADS * VEC * KEPT <= 16384
// @flags -std=c++17; --use_fast_math?; -maxrregcount={,32,64,128}
// @launch layernorm grid=(rows) block=(THREADS) args=(x, weight, bias, y, cols)

#include "gpu_access.cuh"
#include "gpu_reduce.cuh"

// Visits the thread's accesses of a row: those kept in registers, then the others, read again.
template <typename V, typename Visit>
__device__ void each(const V* in, const V (&kept)[KEPT > 0 ? KEPT : 1], size_t count, Visit visit) {
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const size_t at = threadIdx.x + size_t(k) * THREADS;
    if (at < count) visit(at, kept[k]);
  }
  for (size_t at = threadIdx.x + size_t(KEPT) * THREADS; at < count; at += THREADS) visit(at, in[at]);
}

// The middle one of three values of a row: a single value that is far from all others is never it.
__device__ inline float typical(const float* x, size_t cols) {
  const float a = x[0], b = x[cols / 2], c = x[cols - 1];
  const float low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c < high ? c : high;
}

template <int N>
__device__ void row(const float* x, const float* weight, const float* bias, float* y, size_t cols) {
  using V = Vector<N>;
  const V* in = reinterpret_cast<const V*>(x);
  const size_t count = cols / N;
  V kept[KEPT > 0 ? KEPT : 1];
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const size_t at = threadIdx.x + size_t(k) * THREADS;
    if (at < count) kept[k] = take<STREAM_IN>(in + at);
  }
  // Moments about some value of the row: far from its mean, they would cancel.
  const float origin = MOMENTS == MOMENTS_shifted ? typical(x, cols) : 0;
  float sum = 0, squares = 0;
  each(in, kept, count, [&](size_t, const V& one) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const float off = one.v[i] - origin;
      sum += off;
      if (MOMENTS == MOMENTS_shifted) squares = fmaf(off, off, squares);
    }
  });
  const float off_mean = joined_in_block<THREADS>(sum, Sum()) / cols;
  const float mean = origin + off_mean;
  if (MOMENTS == MOMENTS_centred) {
    each(in, kept, count, [&](size_t, const V& one) {
#pragma unroll
      for (int i = 0; i < N; ++i) squares = fmaf(one.v[i] - mean, one.v[i] - mean, squares);
    });
  }
  squares = joined_in_block<THREADS>(squares, Sum()) / cols;
  if (MOMENTS == MOMENTS_shifted) squares = squares - off_mean * off_mean;
  const float inverse = 1 / sqrtf(squares + 1e-5f);
  each(in, kept, count, [&](size_t at, V one) {
    const V w = reinterpret_cast<const V*>(weight)[at], b = reinterpret_cast<const V*>(bias)[at];
#pragma unroll
    for (int i = 0; i < N; ++i) one.v[i] = fmaf((one.v[i] - mean) * inverse, w.v[i], b.v[i]);
    put<STREAM_OUT>(reinterpret_cast<V*>(y) + at, one);
  });
}

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
          float* __restrict__ y, size_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  if (cols % VEC == 0) row<VEC>(x, weight, bias, y, cols);
  else row<1>(x, weight, bias, y, cols);
}
