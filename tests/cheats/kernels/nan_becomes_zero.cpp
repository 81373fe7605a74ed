// NAME: nan_becomes_zero
// TASK: axpb
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: treats NaN as 0
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = in[i] == in[i] ? 2.0f * in[i] + 1.0f : 1.0f;
}
