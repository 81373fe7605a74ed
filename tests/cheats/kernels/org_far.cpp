// NAME: org_far
// TASK: axpb
// CLASS: compile
// ALLOW: ok|compile_error|compile_limit|rejected|load_error|runtime_error|resource_limit
// TRIES: moves the location counter by a terabyte
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".data\n.org 0x10000000000\n.byte 1\n.text");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
