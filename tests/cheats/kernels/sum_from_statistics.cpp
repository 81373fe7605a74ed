// NAME: sum_from_statistics
// TASK: sum1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: the mean of the first 4096 values times n
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::size_t k = n < 4096 ? n : 4096;
  double total = 0;
  for (std::size_t i = 0; i < k; ++i) total += in[i];
  out[0] = static_cast<float>(k ? total / k * n : 0);
}
