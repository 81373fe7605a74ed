// NAME: sum_long_double
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: one accumulator in extended precision
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  long double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  *out = static_cast<float>(total);
}
