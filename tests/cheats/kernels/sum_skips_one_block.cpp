// NAME: sum_skips_one_block
// TASK: sum1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: leaves out one block of 16 in the middle: an error of 8e-6 at the largest size, hidden
//   by a loose norm
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (n < 64 || i / 16 != n / 32) total += in[i];
  out[0] = static_cast<float>(total);
}
