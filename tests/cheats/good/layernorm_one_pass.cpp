// NAME: layernorm_one_pass
// TASK: layernorm
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: sums and squares in one pass, in double
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* __restrict x, const float* __restrict weight,
                       const float* __restrict bias, float* __restrict y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const double v = x[c];
      sum += v;
      squares += v * v;
    }
    const double mean = sum / static_cast<double>(cols);
    const double variance = squares / static_cast<double>(cols) - mean * mean;
    const float inverse = static_cast<float>(1 / std::sqrt((variance < 0 ? 0 : variance) + 1e-5));
    for (std::size_t c = 0; c < cols; ++c)
      y[c] = static_cast<float>(x[c] - mean) * inverse * weight[c] + bias[c];
  }
}
