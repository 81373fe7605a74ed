// Causal depthwise convolution with explicit vectors along the sequence.
// @task depthwise_conv1d
// @knob WIDTH int {4, 8, 16} = 8                        floats in a vector
// @knob UNROLL int {1, 2, 3, 4, 6, 8} = 1               vectors a step
// @knob ROWS int {1, 2, 4} = 1                          sequences taken together
// @knob SHIFT enum {load, shuffle} = load               shifted inputs: loaded again, or made from two neighbouring vectors
// @knob SUM enum {chain, pairs} = chain                 one sum of four terms, or two of two
// @knob TAIL enum {scalar, overlap} = scalar            the last values: one by one, or a vector that reaches back
// @knob PREFETCH int {0, 8, 16, 64} = 0                 vectors ahead
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}; -fno-tree-slp-vectorize?
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int unroll = UNROLL, group = ROWS;
constexpr std::size_t step = WIDTH * unroll;

template <class Value>
VM_INLINE Value combine(Value a, Value b, Value c, Value d, const float* w) {
  if (SUM == SUM_pairs) return (w[0] * a + w[1] * b) + (w[2] * c + w[3] * d);
  return w[0] * a + w[1] * b + w[2] * c + w[3] * d;
}

/// Lanes of `now` moved up by `Back`, filled from the top of `before`.
template <int Back>
VM_INLINE Vec shifted(Vec before, Vec now) {
  vm::i32<WIDTH> from;
  for (int i = 0; i < WIDTH; ++i) from[i] = WIDTH - Back + i;
#if defined(__clang__)
  Vec result;
  for (int i = 0; i < WIDTH; ++i) result[i] = from[i] < WIDTH ? before[from[i]] : now[from[i] - WIDTH];
  return result;
#else
  return __builtin_shuffle(before, now, from);
#endif
}

VM_INLINE Vec outputs(const float* x, const float* w) {
  const Vec now = vm::load<WIDTH>(x);
  if (SHIFT == SHIFT_load)
    return combine(vm::load<WIDTH>(x - 3), vm::load<WIDTH>(x - 2), vm::load<WIDTH>(x - 1), now, w);
  // Near the start of the array a whole vector before x need not exist: only its last three lanes are read.
  float last[WIDTH] = {};
  for (int i = WIDTH - 3; i < WIDTH; ++i) last[i] = x[i - WIDTH];
  const Vec before = vm::load<WIDTH>(last);
  return combine(shifted<3>(before, now), shifted<2>(before, now), shifted<1>(before, now), now, w);
}

/// A step of several vectors; with shuffles each vector serves the next one too.
VM_INLINE void many(const float* x, const float* w, float* y) {
  if (SHIFT == SHIFT_load) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      if (PREFETCH > 0) __builtin_prefetch(x + (u + PREFETCH) * WIDTH);
      vm::store<WIDTH>(y + u * WIDTH, outputs(x + u * WIDTH, w));
    }
    return;
  }
  vm::store<WIDTH>(y, outputs(x, w));
  Vec before = vm::load<WIDTH>(x);
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) {
    if (PREFETCH > 0) __builtin_prefetch(x + (u + PREFETCH) * WIDTH);
    const Vec now = vm::load<WIDTH>(x + u * WIDTH);
    vm::store<WIDTH>(y + u * WIDTH,
                     combine(shifted<3>(before, now), shifted<2>(before, now), shifted<1>(before, now), now, w));
    before = now;
  }
}

VM_INLINE void rest(const float* x, const float* w, float* y, std::size_t from, std::size_t length) {
  std::size_t t = from;
  for (; t + WIDTH <= length; t += WIDTH) vm::store<WIDTH>(y + t, outputs(x + t, w));
  if (TAIL == TAIL_overlap && t < length && length >= WIDTH + 3) {
    vm::store<WIDTH>(y + length - WIDTH, outputs(x + length - WIDTH, w));
    return;
  }
  for (; t < length; ++t) y[t] = combine(x[t - 3], x[t - 2], x[t - 1], x[t], w);
}

/// R sequences that lie `length` apart; their weights lie in `w`, four each.
template <int R>
VM_INLINE void sequences(const float* x, const float (*w)[4], float* y, std::size_t length) {
  const std::size_t start = length < 3 ? length : 3;
  for (int r = 0; r < R; ++r)
    for (std::size_t t = 0; t < start; ++t) {
      float sum = 0;
      for (std::size_t back = 0; back <= t; ++back) sum += w[r][3 - back] * x[r * length + t - back];
      y[r * length + t] = sum;
    }
  std::size_t t = start;
  for (; t + step <= length; t += step)
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) many(x + r * length + t, w[r], y + r * length + t);
  for (int r = 0; r < R; ++r) rest(x + r * length, w[r], y + r * length, t, length);
}

template <int R>
VM_INLINE void run(const float* x, const float* weight, float* y, std::size_t row, std::size_t channels,
                   std::size_t length) {
  float w[R][4];
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < 4; ++j) w[r][j] = weight[(row + r) % channels * 4 + j];
  sequences<R>(x + row * length, w, y + row * length, length);
}

}  // namespace

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t batch, std::size_t channels,
                       std::size_t length) {
  const std::size_t rows = batch * channels;
  std::size_t row = 0;
  for (; row + group <= rows; row += group) run<group>(x, weight, y, row, channels, length);
  for (; row < rows; ++row) run<1>(x, weight, y, row, channels, length);
}
