// NAME: linear_prepare_leaves_rounding
// TASK: linear
// CLASS: environment
// FLAGS: -O3 -march=native
// ALLOW:
// load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result
// TRIES: prepare leaves the rounding mode at upwards
#include <cstddef>

extern "C" void prepare(const float*, std::size_t, std::size_t, std::size_t) {
  unsigned c = 0x5f80;
  asm volatile("ldmxcsr %0" : : "m"(c));
}
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float s = 0;
      for (std::size_t p = 0; p < k; ++p) s += x[i * k + p] * w[j * k + p];
      y[i * n + j] = s;
    }
}
