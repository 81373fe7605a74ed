// Softmax over one array in three passes of explicit vectors. Sums are taken in blocks, so that a million terms
// keep their accuracy in float.
// @task softmax1d
// @knob WIDTH int {4, 8, 16} = 8               floats in a vector
// @knob UNROLL int {1, 2, 4} = 2               independent maxima and sums
// @knob BLOCK int {256, 1024, 4096} = 1024     values a partial sum; a multiple of every WIDTH * UNROLL
// @knob EXP enum {full, flush} = full          flush: results below FLT_MIN become 0
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}
#include <cstddef>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int unroll = UNROLL;
constexpr std::size_t step = WIDTH * unroll;

VM_INLINE Vec exponential(Vec x) { return EXP == EXP_full ? vm::exp<WIDTH>(x) : vm::exp_flush<WIDTH>(x); }

VM_INLINE float maximum(const float* in, std::size_t n) {
  Vec best[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) best[u] = vm::splat<WIDTH>(-__builtin_inff());
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) best[u] = vm::max<WIDTH>(vm::load<WIDTH>(in + i + u * WIDTH), best[u]);
  }
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) best[0] = vm::max<WIDTH>(best[u], best[0]);
  float top = vm::largest<WIDTH>(best[0]);
  for (; i < n; ++i) top = in[i] > top ? in[i] : top;
  return top;
}

/// Exponentials of n values, n at most BLOCK; answers their sum.
VM_INLINE float exponentials(const float* in, float* out, std::size_t n, float top) {
  Vec sum[unroll];
#pragma GCC unroll unroll
  for (int u = 0; u < unroll; ++u) sum[u] = vm::splat<WIDTH>(0.0f);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      const Vec e = exponential(vm::load<WIDTH>(in + i + u * WIDTH) - top);
      vm::store<WIDTH>(out + i + u * WIDTH, e);
      sum[u] += e;
    }
  }
#pragma GCC unroll unroll
  for (int u = 1; u < unroll; ++u) sum[0] += sum[u];
  float total = vm::sum<WIDTH>(sum[0]);
  for (; i < n; ++i) total += out[i] = exponential(vm::splat<WIDTH>(in[i] - top))[0];
  return total;
}

}  // namespace

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n == 0) return;
  const float top = maximum(in, n);
  double total = 0;
  for (std::size_t i = 0; i < n; i += BLOCK) total += exponentials(in + i, out + i, n - i < BLOCK ? n - i : BLOCK, top);
  const float inverse = static_cast<float>(1 / total);
  std::size_t i = 0;
  for (; i + WIDTH <= n; i += WIDTH) vm::store<WIDTH>(out + i, vm::load<WIDTH>(out + i) * inverse);
  for (; i < n; ++i) out[i] *= inverse;
}
