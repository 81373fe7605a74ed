// NAME: forbidden_flag_wrapper
// TASK: axpb
// CLASS: flags
// FLAGS: -wrapper /bin/true
// ALLOW: rejected
// TRIES: wraps the compiler into a program
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
