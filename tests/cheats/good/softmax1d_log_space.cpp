// NAME: softmax1d_log_space
// TASK: softmax1d
// CLASS: good
// ALLOW: ok
// TRIES: exp(x - top - log(sum)) with the exponent in double
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += std::exp(static_cast<double>(in[i]) - top);
  const double shift = std::log(total);  // not added to top, which may be too large to keep it
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<float>(std::exp(static_cast<double>(in[i]) - top - shift));
}
