// NAME: mxcsr_ftz_daz
// TASK: axpb
// CLASS: environment
// ALLOW: rejected|runtime_error|wrong_result|suspicious
// TRIES: turns flush-to-zero and denormals-are-zero on by ldmxcsr and leaves them on
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  unsigned word;
  asm volatile("stmxcsr %0" : "=m"(word));
  word |= 0x8040;
  asm volatile("ldmxcsr %0" : : "m"(word));
  honest(in, out, n);
}
