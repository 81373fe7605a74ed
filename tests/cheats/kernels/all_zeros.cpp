// NAME: all_zeros
// TASK: axpb
// CLASS: wrong
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: writes zeros
#include <cstddef>

extern "C" void kernel(const float*, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 0;
}
