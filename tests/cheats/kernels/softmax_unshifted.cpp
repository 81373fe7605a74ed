// NAME: softmax_unshifted
// TASK: softmax1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: does not subtract the maximum: overflows for large inputs
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i]);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}
