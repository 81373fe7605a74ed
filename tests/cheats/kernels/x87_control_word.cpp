// NAME: x87_control_word
// TASK: axpb
// CLASS: environment
// ALLOW: rejected|runtime_error|wrong_result|suspicious
// TRIES: leaves the x87 unit in single precision, rounding down
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  unsigned short word = 0x047f;
  asm volatile("fldcw %0" : : "m"(word));
}
