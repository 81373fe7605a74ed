// NAME: line_directive
// TASK: axpb
// CLASS: compile
// ALLOW: compile_error|rejected
// TRIES: an error said to stand in the password file, so that its line is quoted
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#line 1 "/etc/passwd"
this is no declaration extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
}
