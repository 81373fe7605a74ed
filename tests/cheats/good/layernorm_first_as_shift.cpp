// NAME: layernorm_first_as_shift
// TASK: layernorm
// CLASS: good
// FLAGS: -O2
// ALLOW: ok
// TRIES: one pass over differences from the first value of the row, in double
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const double shift = x[0];
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double d = x[c] - shift;
      sum += d;
      squares += d * d;
    }
    const double n = static_cast<double>(cols), mean = sum / n;
    double variance = squares / n - mean * mean;
    if (variance < 0) variance = 0;
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t c = 0; c < cols; ++c)
      y[c] = static_cast<float>((x[c] - shift - mean) * inverse * weight[c] + bias[c]);
  }
}
