// NAME: include_device
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error|compile_limit
// TRIES: includes an endless device
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#define PLACE "/dev/zero"
#include PLACE
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
