// NAME: sum_in_one_float
// TASK: sum1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: one float accumulator: loses digits in two million values
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = total;
}
