// NAME: include_by_macro
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error
// TRIES: the same through a macro and a spliced line
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
// clang-format off
#define PLACE "/tmp/ke_canary\
_secret"
#inc\
lude PLACE
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
