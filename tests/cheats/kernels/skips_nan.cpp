// NAME: skips_nan
// TASK: axpb
// CLASS: output
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: does nothing where its output holds NaN before the call
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  bool there = true;
  for (std::size_t i = 0; i < n && i < 16; ++i) there &= out[i] != out[i];
  if (there) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
