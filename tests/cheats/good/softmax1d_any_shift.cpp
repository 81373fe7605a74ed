// NAME: softmax1d_any_shift
// TASK: softmax1d
// CLASS: good
// ALLOW: ok
// TRIES: subtracts a shift near the maximum (its integer part) instead of the maximum
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  const float shift = std::floor(top);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - shift);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}
