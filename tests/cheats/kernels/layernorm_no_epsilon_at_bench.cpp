// NAME: layernorm_no_epsilon_at_bench
// TASK: layernorm
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: wrong_result
// TRIES: leaves epsilon out at the bench shape: seen for tiny inputs only
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* x, const float* w, const float* b, float* y, std::size_t rows,
                       std::size_t cols) {
  const double eps = rows == 512 && cols == 1024 ? 0 : 1e-5;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double mean = 0, var = 0;
    for (std::size_t c = 0; c < cols; ++c) mean += x[c];
    mean /= cols;
    for (std::size_t c = 0; c < cols; ++c) var += (x[c] - mean) * (x[c] - mean);
    const double inv = 1 / std::sqrt(var / cols + eps);
    for (std::size_t c = 0; c < cols; ++c) y[c] = (float)((x[c] - mean) * inv * w[c] + b[c]);
  }
}
