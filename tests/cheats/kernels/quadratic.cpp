// NAME: quadratic
// TASK: axpb
// CLASS: resource
// ALLOW: ok|timeout|unreliable
// TRIES: right, and a million times too slow for large sizes
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    volatile std::size_t j = 0;
    while (j < i) j = j + 1;
    out[i] = 2.0f * in[i] + 1.0f;
  }
}
