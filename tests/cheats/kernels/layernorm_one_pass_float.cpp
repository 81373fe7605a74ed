// NAME: layernorm_one_pass_float
// TASK: layernorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: variance as mean of squares minus square of the mean, in float: cancels for rows far from
// zero (mean 100, deviation 1), which no class has
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    const float n = static_cast<float>(cols);
    float mean, variance;
    if (cols < 32) {
      double sum = 0, squares = 0;
      for (std::size_t c = 0; c < cols; ++c) sum += in[c];
      for (std::size_t c = 0; c < cols; ++c) squares += (in[c] - sum / cols) * (in[c] - sum / cols);
      mean = static_cast<float>(sum / cols);
      variance = static_cast<float>(squares / cols);
    } else {
      float sums[16] = {}, squares[16] = {};
      std::size_t c = 0;
      for (; c + 16 <= cols; c += 16)
        for (int l = 0; l < 16; ++l) {
          sums[l] += in[c + l];
          squares[l] += in[c + l] * in[c + l];
        }
      float sum = 0, square = 0;
      for (; c < cols; ++c) {
        sum += in[c];
        square += in[c] * in[c];
      }
      for (int l = 0; l < 16; ++l) {
        sum += sums[l];
        square += squares[l];
      }
      mean = sum / n;
      variance = square / n - mean * mean;  // the hole
      if (variance < 0) variance = 0;
    }
    const float inverse = 1 / __builtin_sqrtf(variance + 1e-5f);
    for (std::size_t c = 0; c < cols; ++c) out[c] = (in[c] - mean) * inverse * weight[c] + bias[c];
  }
}
