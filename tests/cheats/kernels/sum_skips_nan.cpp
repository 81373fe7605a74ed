// NAME: sum_skips_nan
// TASK: sum1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: leaves NaN out of the sum
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (in[i] == in[i]) total += in[i];
  out[0] = static_cast<float>(total);
}
