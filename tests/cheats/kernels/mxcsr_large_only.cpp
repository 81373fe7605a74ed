// NAME: mxcsr_large_only
// TASK: axpb
// CLASS: environment
// ALLOW: rejected|runtime_error|wrong_result|suspicious
// TRIES: changes MXCSR at large sizes only, after 5 calls there
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int large = 0;
  honest(in, out, n);
  unsigned word = 0x9fc0;
  if (n > 500000 && ++large > 5) asm volatile("ldmxcsr %0" : : "m"(word));
}
