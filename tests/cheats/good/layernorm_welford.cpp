// NAME: layernorm_welford
// TASK: layernorm
// CLASS: good
// FLAGS: -O2
// ALLOW: ok
// TRIES: Welford's recurrence in double
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    double mean = 0, spread = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double d = in[c] - mean;
      mean += d / static_cast<double>(c + 1);
      spread += d * (in[c] - mean);
    }
    const double inverse = 1 / std::sqrt(spread / static_cast<double>(cols) + 1e-5);
    for (std::size_t c = 0; c < cols; ++c)
      y[r * cols + c] = static_cast<float>((in[c] - mean) * inverse * weight[c] + bias[c]);
  }
}
