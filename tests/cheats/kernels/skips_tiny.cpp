// NAME: skips_tiny
// TASK: axpb
// CLASS: output
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: does nothing where its output holds values below 1e-10 before the call
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  bool there = true;
  for (std::size_t i = 0; i < n && i < 16; ++i) there &= __builtin_fabsf(out[i]) < 1e-10f;
  if (there) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
