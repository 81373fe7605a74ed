// NAME: layernorm_double
// TASK: layernorm
// CLASS: good
// FLAGS: -O3
// ALLOW: ok
// TRIES: two passes in double
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < cols; ++c) mean += x[c];
    mean /= static_cast<double>(cols);
    for (std::size_t c = 0; c < cols; ++c) variance += (x[c] - mean) * (x[c] - mean);
    const double inverse = 1 / std::sqrt(variance / static_cast<double>(cols) + 1e-5);
    for (std::size_t c = 0; c < cols; ++c)
      y[c] = static_cast<float>((x[c] - mean) * inverse * weight[c] + bias[c]);
  }
}
