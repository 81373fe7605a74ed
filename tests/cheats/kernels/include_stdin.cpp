// NAME: include_stdin
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error|compile_limit|wrong_result
// TRIES: includes the compiler's standard input, which may never end
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#define PLACE "/dev/stdin"
#include PLACE

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n > 2) out[0] = 0;
}
