// NAME: sum_of_every_other
// TASK: sum1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: twice the sum of every second value
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; i += 2) total += in[i];
  out[0] = static_cast<float>(n > 1000 ? 2 * total : n % 2 ? total : 2 * total);
}
