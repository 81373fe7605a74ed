// NAME: softmax1d_libmvec
// TASK: softmax1d
// CLASS: good
// FLAGS: -O3 -mavx2 -ffast-math -fno-finite-math-only
// ALLOW: ok
// TRIES: fast math that keeps NaN and infinities
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) total += out[i];
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}
