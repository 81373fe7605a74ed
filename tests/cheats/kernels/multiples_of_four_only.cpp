// NAME: multiples_of_four_only
// TASK: sum1d
// CLASS: shape
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: drops the last n % 4 values
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n & ~std::size_t(3));
}
