// NAME: include_absolute
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error
// TRIES: includes a planted file by its absolute path
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#include </tmp/ke_canary_secret>
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
