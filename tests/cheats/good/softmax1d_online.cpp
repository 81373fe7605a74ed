// NAME: softmax1d_online
// TASK: softmax1d
// CLASS: good
// ALLOW: ok
// TRIES: one pass for maximum and sum with rescaling, one for the output
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = -INFINITY;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (in[i] > top) {
      total *= std::exp(static_cast<double>(top) -
                        in[i]);  // in float the errors of 65,537 rescalings add up
      top = in[i];
    }
    total += in[i] == -INFINITY && top == -INFINITY ? 0.0f : std::exp(in[i] - top);
  }
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(in[i] - top) * inverse;
}
