// The oracle of RMS normalisation, in double precision.
#include <cmath>
#include <cstddef>

extern "C" void reference(const double* x, const double* weight, double* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double squares = 0;
    bool finite = true;
    for (std::size_t c = 0; c < cols; ++c) {
      squares += x[c] * x[c];
      finite = finite && std::isfinite(x[c]);
    }
    const double inverse = finite ? 1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5) : std::nan("");
    for (std::size_t c = 0; c < cols; ++c) y[c] = x[c] * inverse * weight[c];
  }
}
