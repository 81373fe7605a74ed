// NAME: softmax1d_flushing
// TASK: softmax1d
// CLASS: good
// ALLOW: ok
// TRIES: results below FLT_MIN become exactly 0
#include <cfloat>
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float e = std::exp(in[i] - top);
    total += out[i] = e < FLT_MIN ? 0.0f : e;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float y = static_cast<float>(out[i] / total);
    out[i] = y < FLT_MIN ? 0.0f : y;
  }
}
