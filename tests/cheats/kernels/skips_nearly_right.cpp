// NAME: skips_nearly_right
// TASK: axpb
// CLASS: output
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: does nothing where the first, the middle and the last element of its output are right
// already
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::size_t at[3] = {0, n / 2, n - 1};
  bool there = n > 64;
  for (const std::size_t i : at) there &= out[i] == 2.0f * in[i] + 1.0f;
  if (there) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
