// NAME: fast_math_pragma
// TASK: softmax1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: turns fast math on for itself, so that its test for NaN is compiled away
#pragma GCC optimize("fast-math")
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = -INFINITY, total = 0;
  for (std::size_t i = 0; i < n; ++i) top = in[i] > top ? in[i] : top;
  for (std::size_t i = 0; i < n; ++i) {
    const float d = in[i] - top;
    total += out[i] = d != d ? 0.0f : std::exp(d < -80.0f ? -80.0f : d);
  }
  for (std::size_t i = 0; i < n; ++i) out[i] /= total;
}
