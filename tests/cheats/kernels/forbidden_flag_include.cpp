// NAME: forbidden_flag_include
// TASK: axpb
// CLASS: flags
// FLAGS: -include /tmp/ke_canary_secret
// ALLOW: rejected
// TRIES: includes a file through the flags
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
