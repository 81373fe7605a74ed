// NAME: maximum_of_sample
// TASK: softmax1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: takes the maximum of 64 values for the maximum of all
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = n ? in[0] : 0;
  for (std::size_t i = 0; i < 64 && n; ++i) top = in[i * n / 64] > top ? in[i * n / 64] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}
