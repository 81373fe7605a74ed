// NAME: mxcsr_unmask
// TASK: axpb
// CLASS: environment
// ALLOW: rejected|runtime_error|wrong_result|suspicious
// TRIES: leaves floating-point traps unmasked
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  unsigned word = 0x0000;
  asm volatile("ldmxcsr %0" : : "m"(word));
}
