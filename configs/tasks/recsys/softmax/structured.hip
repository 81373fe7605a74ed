// Softmax of rows: part of a row stays in registers, reductions go through shuffles of waves of any size.
// @task softmax
// @knob THREADS int {32, 64, 128, 256, 512, 1024} = 256
// @knob VEC int {1, 2, 4} = 4                  floats of one access
// @knob KEPT int {0, 1, 2, 4, 8, 16} = 4       accesses of a thread that stay in registers
// @knob STREAM bool = false                    loads and stores that pass the caches by
// @knob POWER enum {exact, fast} = exact       exponentials
// @require THREADS * VEC * KEPT <= 16384
// @flags -std=c++17; -fgpu-flush-denormals-to-zero?
// @launch softmax grid=(rows) block=(THREADS) args=(x, y, cols)

#include "hip_rows.h"

__device__ float power(float x) { return POWER == POWER_fast ? __expf(x) : expf(x); }

template <int N> __device__ void row(const float* x, float* y, size_t cols) {
  using V = Vector<N>;
  const V* in = reinterpret_cast<const V*>(x);
  V* out = reinterpret_cast<V*>(y);
  const size_t count = cols / N;
  V kept[KEPT > 0 ? KEPT : 1];
  float most = Largest::none(), sum = 0;
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const size_t at = threadIdx.x + size_t(k) * THREADS;
    if (at < count) {
      kept[k] = take<STREAM>(in + at);
#pragma unroll
      for (int i = 0; i < N; ++i) most = fmaxf(most, kept[k].v[i]);
    }
  }
  const size_t rest = threadIdx.x + size_t(KEPT) * THREADS;
  for (size_t at = rest; at < count; at += THREADS)
    for (int i = 0; i < N; ++i) most = fmaxf(most, in[at].v[i]);
  most = joined_in_block<THREADS>(most, Largest());
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    if (threadIdx.x + size_t(k) * THREADS >= count) continue;
#pragma unroll
    for (int i = 0; i < N; ++i) sum += kept[k].v[i] = power(kept[k].v[i] - most);
  }
  for (size_t at = rest; at < count; at += THREADS)
    for (int i = 0; i < N; ++i) sum += power(in[at].v[i] - most);
  const float inverse = 1 / joined_in_block<THREADS>(sum, Sum());
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const size_t at = threadIdx.x + size_t(k) * THREADS;
    if (at >= count) continue;
#pragma unroll
    for (int i = 0; i < N; ++i) kept[k].v[i] *= inverse;
    put<STREAM>(out + at, kept[k]);
  }
  for (size_t at = rest; at < count; at += THREADS) {
    V one = in[at];
    for (int i = 0; i < N; ++i) one.v[i] = power(one.v[i] - most) * inverse;
    put<STREAM>(out + at, one);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(const float* __restrict__ x, float* __restrict__ y, size_t cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  if (cols % VEC == 0) row<VEC>(x, y, cols);
  else row<1>(x, y, cols);
}
