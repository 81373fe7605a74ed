// NAME: accumulates
// TASK: axpb
// CLASS: output
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: adds to the output instead of writing it
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += 2.0f * in[i] + 1.0f;
}
