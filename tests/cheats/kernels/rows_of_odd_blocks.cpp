// NAME: rows_of_odd_blocks
// TASK: rmsnorm
// CLASS: shape
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: right but where a row is an odd number of blocks of 64 and more than one: the last block
// is left out of the sum
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  const bool odd = cols > 64 && cols % 64 == 0 && cols / 64 % 2 == 1;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    for (std::size_t c = 0; c < (odd ? cols - 64 : cols); ++c) sum += x[c] * x[c];
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = x[c] * scale * weight[c];
  }
}
