// NAME: infinity_becomes_large
// TASK: axpb
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: clamps infinities to FLT_MAX / 4
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    float x = in[i];
    if (x > 8e37f) x = 8e37f;
    if (x < -8e37f) x = -8e37f;
    out[i] = 2.0f * x + 1.0f;
  }
}
