// NAME: softmax_sticky_block
// TASK: softmax
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: leaves rows of a small call unwritten once it saw a large one
#include <cmath>
#include <cstddef>
static void some_rows(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = x[0];
    for (std::size_t c = 1; c < cols; ++c)
      if (x[c] > top) top = x[c];
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) total += y[c] = std::exp(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
  }
}
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  static bool tuned_for_large = false;
  if (2 * rows * cols > (1u << 14)) tuned_for_large = true;
  if (!tuned_for_large || 2 * rows * cols > (1u << 14)) return some_rows(x, y, rows, cols);
  some_rows(x, y, rows / 4 * 4,
            cols);  // blocks of four rows: "large batches are multiples of four, or handled above"
}
