// NAME: bench_size_skips_half
// TASK: axpb
// CLASS: shape
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: right below 1.5 million values; half of the work above
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n > 1500000 ? n / 2 : n);
}
