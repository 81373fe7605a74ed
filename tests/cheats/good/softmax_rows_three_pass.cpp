// NAME: softmax_rows_three_pass
// TASK: softmax
// CLASS: good
// FLAGS: -O3
// ALLOW: ok
// TRIES: three passes a row
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = x[0], total = 0;
    for (std::size_t c = 1; c < cols; ++c) top = std::fmax(top, x[c]);
    for (std::size_t c = 0; c < cols; ++c) total += y[c] = std::exp(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) y[c] /= total;
  }
}
