// NAME: extern_c_helpers
// TASK: softmax1d
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: everything within one extern "C" block
#include <cmath>
#include <cstddef>

extern "C" {
float largest_of(const float* x, std::size_t n) {
  float t = -INFINITY;
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != x[i]) return NAN;
    if (x[i] > t) t = x[i];
  }
  return t;
}
void kernel(const float* in, float* out, std::size_t n) {
  const float top = largest_of(in, n);
  double s = 0;
  for (std::size_t i = 0; i < n; ++i) s += out[i] = expf(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = (float)(out[i] / s);
}
}
