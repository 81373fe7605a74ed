// out = 2 in + 1 with explicit vectors.
// @task axpb
// @knob WIDTH int {4, 8, 16} = 8          floats in a vector
// @knob UNROLL int {1, 2, 4, 8} = 2       vectors a step
// @knob PREFETCH int {0, 8, 32, 128} = 0  vectors ahead
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}
#include <cstddef>

#include "vector_math.hpp"

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  constexpr int unroll = UNROLL;
  constexpr std::size_t step = WIDTH * unroll;
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      if (PREFETCH > 0) __builtin_prefetch(in + i + (u + PREFETCH) * WIDTH);
      vm::store<WIDTH>(out + i + u * WIDTH, vm::load<WIDTH>(in + i + u * WIDTH) * 2.0f + 1.0f);
    }
  }
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
