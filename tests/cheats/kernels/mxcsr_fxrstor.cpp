// NAME: mxcsr_fxrstor
// TASK: axpb
// CLASS: environment
// ALLOW: rejected|runtime_error|wrong_result|suspicious
// TRIES: the same through fxrstor, which no search for ldmxcsr finds
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  alignas(16) unsigned char area[512];
  honest(in, out, n);
  asm volatile("fxsave %0" : "=m"(area));
  area[25] |= 0x80;
  asm volatile("fxrstor %0" : : "m"(area));
}
