// The sum with independent accumulators of explicit double vectors: terms of both signs cancel, floats would not do.
// @task sum1d
// @knob WIDTH int {4, 8, 16} = 8               floats in a vector
// @knob UNROLL int {1, 2, 4, 8} = 2            independent accumulators
// @knob PREFETCH int {0, 8, 32} = 0            vectors ahead
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}
#include <cstddef>

#include "vector_math.hpp"

typedef double Wide __attribute__((vector_size(WIDTH * 8)));

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  constexpr int unroll = UNROLL;
  constexpr std::size_t step = WIDTH * unroll;
  Wide sum[unroll] = {};
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
#pragma GCC unroll unroll
    for (int u = 0; u < unroll; ++u) {
      if (PREFETCH > 0) __builtin_prefetch(in + i + (u + PREFETCH) * WIDTH);
      sum[u] += __builtin_convertvector(vm::load<WIDTH>(in + i + u * WIDTH), Wide);
    }
  }
  double total = 0;
  for (int u = 1; u < unroll; ++u) sum[0] += sum[u];
  for (int lane = 0; lane < WIDTH; ++lane) total += sum[0][lane];
  for (; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}
