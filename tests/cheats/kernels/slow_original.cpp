// NAME: slow_original
// TASK: axpb
// CLASS: twin
// ALLOW: ok
// TRIES: correct and slow: the original of comment_twin
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    volatile float x = in[i];
    out[i] = 2.0f * x + 1.0f;
  }
}
