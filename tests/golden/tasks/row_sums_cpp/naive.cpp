// Sums of rows as a textbook has them.
// @flags -O3; -march=native?
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += x[r * cols + c];
    y[r] = sum;
  }
}
