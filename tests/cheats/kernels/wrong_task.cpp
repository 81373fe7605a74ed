// NAME: wrong_task
// TASK: softmax1d
// CLASS: wrong
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: a right kernel of another task
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
