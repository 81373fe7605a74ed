// NAME: powers_of_two_only
// TASK: axpb
// CLASS: shape
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: right only when n is a power of two
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, (n & (n - 1)) ? n & ~std::size_t(3) : n);
}
