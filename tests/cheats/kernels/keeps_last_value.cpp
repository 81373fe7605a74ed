// NAME: keeps_last_value
// TASK: axpb
// CLASS: output
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: leaves the last value unwritten when n is odd
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n & ~std::size_t(1));
}
