// NAME: rows_longer_than_listed
// TASK: rmsnorm
// CLASS: shape
// ALLOW: nondeterministic|runtime_error|suspicious|wrong_result
// TRIES: right up to rows of 4500 values, longer than any workload's; the rest of longer rows is
// left out
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  const std::size_t most = cols < 4500 ? cols : 4500;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    for (std::size_t c = 0; c < most; ++c) sum += x[c] * x[c];
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < most; ++c) y[c] = x[c] * scale * weight[c];
  }
}
