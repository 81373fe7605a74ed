// NAME: shifted_by_one
// TASK: axpb
// CLASS: wrong
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: the last 1000 results stand one place too far to the left
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  for (std::size_t i = n > 1000 ? n - 1000 : 0; i + 1 < n; ++i) out[i] = out[i + 1];
}
