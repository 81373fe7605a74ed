// NAME: comment_twin
// TASK: axpb
// CLASS: twin
// ALLOW: ok
// TRIES: slow_original with other comments and spaces: the same binary, which must not draw the
//   noise lottery again
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  // Twice as fast. Twice as fast. Twice as fast.
  for (std::size_t i = 0; i < n; ++i) {
    volatile float x = in[i]; /* nothing changed */
    out[i] = 2.0f * x + 1.0f;
  }
}
