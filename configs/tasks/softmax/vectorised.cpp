// Softmax in three passes of explicit vectors: largest value, exponentials with their sum, normalisation.
// @task softmax
// @knob WIDTH int {4, 8, 16} = 8                     floats in a vector
// @knob MAX_UNROLL int {1, 2, 4, 8} = 2              independent maxima of pass 1
// @knob EXP_UNROLL int {1, 2, 3, 4, 6} = 1           independent sums of pass 2
// @knob SCALE_UNROLL int {1, 2, 4, 8} = 1            vectors a step of pass 3
// @knob EXP enum {full, flush, base2} = full         flush: results below FLT_MIN become 0; base2: so too, and 2^(x log2 e - top log2 e)
// @knob DEGREE int {4, 5, 6} = 6                     polynomial of base2
// @knob NORMALISE enum {divide, reciprocal} = divide
// @knob THIRD enum {rescale, recompute} = rescale    recompute: pass 2 stores nothing, pass 3 takes exp again
// @knob TAIL enum {scalar, padded} = scalar          the last cols % WIDTH values: one by one, or one padded vector
// @knob PREFETCH int {0, 4, 16} = 0                  vectors ahead in pass 1
// @require THIRD == 0 || SCALE_UNROLL <= 4
// @require EXP == 2 || DEGREE == 6
// @require MAX_UNROLL * WIDTH <= 64
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}; -fno-trapping-math?
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr float log2_e = 1.44269504088896341f;

/// exp(x - top). For base2 `top` is the scaled one, so that one multiply-add does for both; its rounding is the same
/// factor for the whole row and cancels in the normalisation.
template <int W>
VM_INLINE vm::f32<W> exponential(vm::f32<W> x, float top) {
  if (EXP == EXP_base2) return vm::exp2_flush<W, DEGREE>(x * log2_e - top);
  return EXP == EXP_full ? vm::exp<W>(x - top) : vm::exp_flush<W>(x - top);
}
VM_INLINE float exponential_one(float x, float top) { return exponential<4>(vm::splat<4>(x), top)[0]; }

VM_INLINE float row_maximum(const float* x, std::size_t n) {
  constexpr int unroll = MAX_UNROLL;
  const float lowest = -__builtin_inff();
  Vec best[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) best[u] = vm::splat<WIDTH>(lowest);
  std::size_t i = 0;
  for (; i + unroll * WIDTH <= n; i += unroll * WIDTH) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      if (PREFETCH > 0) __builtin_prefetch(x + i + (u + PREFETCH) * WIDTH);
      best[u] = vm::max<WIDTH>(vm::load<WIDTH>(x + i + u * WIDTH), best[u]);
    }
  }
  for (; i + WIDTH <= n; i += WIDTH) best[0] = vm::max<WIDTH>(vm::load<WIDTH>(x + i), best[0]);
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) best[0] = vm::max<WIDTH>(best[u], best[0]);
  float top = vm::largest<WIDTH>(best[0]);
  for (; i < n; ++i) top = x[i] > top ? x[i] : top;
  return top;  // NaN is seen by the sum of the exponentials, not here
}

/// Sum of exp(x - top); stores the exponentials too unless they will be taken again.
VM_INLINE float exponentials(const float* x, float* y, std::size_t n, float top) {
  constexpr int unroll = EXP_UNROLL;
  constexpr bool keep = THIRD == THIRD_rescale;
  Vec total[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) total[u] = vm::splat<WIDTH>(0.0f);
  std::size_t i = 0;
  for (; i + unroll * WIDTH <= n; i += unroll * WIDTH) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      const Vec e = exponential<WIDTH>(vm::load<WIDTH>(x + i + u * WIDTH), top);
      if (keep) vm::store<WIDTH>(y + i + u * WIDTH, e);
      total[u] += e;
    }
  }
  for (; i + WIDTH <= n; i += WIDTH) {
    const Vec e = exponential<WIDTH>(vm::load<WIDTH>(x + i), top);
    if (keep) vm::store<WIDTH>(y + i, e);
    total[0] += e;
  }
  if (TAIL == TAIL_padded && i < n) {
    const Vec e = exponential<WIDTH>(vm::load_part<WIDTH>(x + i, n - i, -__builtin_inff()), top);
    if (keep) vm::store_part<WIDTH>(y + i, e, n - i);
    total[0] += e;
    i = n;
  }
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) total[0] += total[u];
  float sum = vm::sum<WIDTH>(total[0]);
  for (; i < n; ++i) {
    const float e = exponential_one(x[i], top);
    if (keep) y[i] = e;
    sum += e;
  }
  return sum;
}

template <int W>
VM_INLINE vm::f32<W> normalised(vm::f32<W> e, float sum, float inverse) {
  return NORMALISE == NORMALISE_divide ? e / sum : e * inverse;
}

VM_INLINE void normalise(const float* x, float* y, std::size_t n, float top, float sum) {
  constexpr int unroll = SCALE_UNROLL;
  constexpr bool again = THIRD == THIRD_recompute;
  const float inverse = 1.0f / sum;
  std::size_t i = 0;
  for (; i + unroll * WIDTH <= n; i += unroll * WIDTH) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      const std::size_t at = i + u * WIDTH;
      const Vec e = again ? exponential<WIDTH>(vm::load<WIDTH>(x + at), top) : vm::load<WIDTH>(y + at);
      vm::store<WIDTH>(y + at, normalised<WIDTH>(e, sum, inverse));
    }
  }
  for (; i + WIDTH <= n; i += WIDTH) {
    const Vec e = again ? exponential<WIDTH>(vm::load<WIDTH>(x + i), top) : vm::load<WIDTH>(y + i);
    vm::store<WIDTH>(y + i, normalised<WIDTH>(e, sum, inverse));
  }
  for (; i < n; ++i) {
    const float e = again ? exponential_one(x[i], top) : y[i];
    y[i] = NORMALISE == NORMALISE_divide ? e / sum : e * inverse;
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const float top = row_maximum(x, cols) * (EXP == EXP_base2 ? log2_e : 1.0f);
    const float sum = exponentials(x, y, cols, top);
    normalise(x, y, cols, top, sum);
  }
}
