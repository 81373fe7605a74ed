// NAME: leaves_direction_flag
// TASK: axpb
// CLASS: environment
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: returns with the direction flag set
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  asm volatile("std" : : : "cc");
}
