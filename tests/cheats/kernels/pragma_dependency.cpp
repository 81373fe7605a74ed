// NAME: pragma_dependency
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error
// TRIES: learns from a pragma's warning, made an error, whether a planted file exists
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#pragma GCC diagnostic error "-Wcpp"
#pragma GCC dependency "/tmp/ke_canary_secret" existence is secret
#error stop here
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
