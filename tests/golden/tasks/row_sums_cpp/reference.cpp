#include <cstddef>

extern "C" void reference(const double* x, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    y[r] = 0;
    for (std::size_t c = 0; c < cols; ++c) y[r] += x[r * cols + c];
  }
}
