// NAME: include_itself
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error|compile_limit
// TRIES: includes itself twice: 2^200 times
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#include __FILE__
#include __FILE__
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
