// Softmax in two passes [Milakov2018]: the largest value and the sum of exponentials together, block by block;
// a larger maximum rescales the sum so far. Then the exponentials, normalised.
// @task softmax
// @knob WIDTH int {4, 8, 16} = 8                       floats in a vector
// @knob BLOCK int {1, 2, 4, 8} = 2                     vectors that share one new maximum
// @knob EXP enum {full, flush} = full                  flush: results below FLT_MIN become 0
// @knob MAXIMUM enum {lanes, row} = lanes              one running maximum a lane, or one for the whole row
// @knob UPDATE enum {always, when_larger} = always     rescale the sums every block, or only when a maximum grew
// @knob FINAL enum {fold, multiply} = multiply         fold: exp(x - top - log sum); multiply: exp(x - top) * (1 / sum)
// @knob UNROLL int {1, 2, 4} = 1                       vectors a step of the last pass
// @knob PREFETCH int {0, 8, 32} = 0                    vectors ahead in the first pass
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}; -fno-trapping-math?
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;

// A finite start: -inf - -inf would be NaN before the first value has been seen.
constexpr float lowest = -3.0e38f;

VM_INLINE Vec exponential(Vec x) { return EXP == EXP_full ? vm::exp<WIDTH>(x) : vm::exp_flush<WIDTH>(x); }

VM_INLINE bool any_larger(Vec a, Vec b) {
  const vm::i32<WIDTH> larger = a > b;
  int any = 0;
#pragma GCC unroll 16
  for (int i = 0; i < WIDTH; ++i) any |= larger[i];
  return any != 0;
}

struct Running {
  Vec top = vm::splat<WIDTH>(lowest);
  Vec sum = vm::splat<WIDTH>(0.0f);

  template <int N>
  VM_INLINE void add(const Vec* v) {
    Vec best = v[0];
#pragma GCC unroll 8
    for (int u = 1; u < N; ++u) best = vm::max<WIDTH>(v[u], best);
    best = vm::max<WIDTH>(best, top);  // a NaN leaves `top`; the sum becomes NaN below
    if (MAXIMUM == MAXIMUM_row) best = vm::splat<WIDTH>(vm::largest<WIDTH>(best));
    if (UPDATE == UPDATE_always || any_larger(best, top)) {
      sum *= exponential(top - best);
      top = best;
    }
#pragma GCC unroll 8
    for (int u = 0; u < N; ++u) sum += exponential(v[u] - top);
  }
};

VM_INLINE Vec tail(const float* x, std::size_t count) {
  return vm::load_part<WIDTH>(x, count, -__builtin_inff());
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  constexpr int block = BLOCK, unroll = UNROLL;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    Running running;
    std::size_t i = 0;
    for (; i + block * WIDTH <= cols; i += block * WIDTH) {
      Vec v[block];
#pragma GCC unroll block
      for (int u = 0; u < block; ++u) {
        if (PREFETCH > 0) __builtin_prefetch(x + i + (u + PREFETCH) * WIDTH);
        v[u] = vm::load<WIDTH>(x + i + u * WIDTH);
      }
      running.add<block>(v);
    }
    for (; i + WIDTH <= cols; i += WIDTH) {
      const Vec v = vm::load<WIDTH>(x + i);
      running.add<1>(&v);
    }
    if (i < cols) {
      const Vec v = tail(x + i, cols - i);
      running.add<1>(&v);
    }
    const float top = vm::largest<WIDTH>(running.top);
    const float sum = vm::sum<WIDTH>(running.sum * exponential(running.top - top));
    // Nothing above the start: every value was -inf (or NaN), and -inf - -inf is NaN by the task.
    const float nan = top > lowest ? 0.0f : __builtin_nanf("");
    const float inverse = 1.0f / sum + nan;
    const float shift = FINAL == FINAL_fold ? top + vm::log<WIDTH>(vm::splat<WIDTH>(sum))[0] + nan : top;
    const float factor = FINAL == FINAL_fold ? 1.0f : inverse;
    i = 0;
    for (; i + unroll * WIDTH <= cols; i += unroll * WIDTH) {
#pragma GCC unroll unroll
      for (int u = 0; u < unroll; ++u)
        vm::store<WIDTH>(y + i + u * WIDTH, exponential(vm::load<WIDTH>(x + i + u * WIDTH) - shift) * factor);
    }
    for (; i + WIDTH <= cols; i += WIDTH)
      vm::store<WIDTH>(y + i, exponential(vm::load<WIDTH>(x + i) - shift) * factor);
    if (i < cols) vm::store_part<WIDTH>(y + i, exponential(tail(x + i, cols - i) - shift) * factor, cols - i);
  }
}
