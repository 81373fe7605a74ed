// NAME: constant_row_by_samples
// TASK: rmsnorm
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: takes a row for constant when a few of its values are equal
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    const bool constant = cols >= 16 && x[0] == x[1] && x[0] == x[cols / 4] &&
                          x[0] == x[cols / 2] && x[0] == x[cols - 2] && x[0] == x[cols - 1];
    if (constant) {
      sum = static_cast<float>(cols) * x[0] * x[0];
    } else {
      for (std::size_t c = 0; c < cols; ++c) sum += x[c] * x[c];
    }
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = (constant ? x[0] : x[c]) * scale * weight[c];
  }
}
