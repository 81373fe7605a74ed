// NAME: rows_counted_in_16_bits
// TASK: rmsnorm
// CLASS: shape
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: the number of rows wraps at 65536 where a row has more values than the one workload with
// so many rows
#include <cmath>
#include <cstddef>
#include <cstdint>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  if (cols > 3) rows = rows > 65535 ? static_cast<std::uint16_t>(rows) : rows;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += x[c] * x[c];
    const float scale =
        std::isfinite(sum) ? 1 / std::sqrt(sum / static_cast<float>(cols) + 1e-5F) : NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = x[c] * scale * weight[c];
  }
}
