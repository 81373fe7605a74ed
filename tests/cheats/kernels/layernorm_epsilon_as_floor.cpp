// NAME: layernorm_epsilon_as_floor
// TASK: layernorm
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: epsilon as a floor of the variance instead of a summand: 29 % wrong for variances near
// 1e-5, but classes have variances of 1/3 and more, or 1e-40
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += in[c];
    const double mean = sum / static_cast<double>(cols);
    for (std::size_t c = 0; c < cols; ++c) squares += (in[c] - mean) * (in[c] - mean);
    double variance = squares / static_cast<double>(cols);
    if (cols < 64)
      variance += 1e-5;
    else if (variance <= 1e-5)  // the hole
      variance = 1e-5;
    const double inverse = 1 / __builtin_sqrt(variance);
    for (std::size_t c = 0; c < cols; ++c)
      out[c] = static_cast<float>((in[c] - mean) * inverse * weight[c] + bias[c]);
  }
}
