// NAME: rmsnorm_by_hypot
// TASK: rmsnorm
// CLASS: good
// FLAGS: -O2
// ALLOW: ok
// TRIES: the norm of a row by scaled sums, as BLAS does: no overflow and no special case for rows
// of zeros
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double scale = 0, squares = 1;
    bool finite = true;
    for (std::size_t c = 0; c < cols; ++c) {
      const double v = std::fabs(static_cast<double>(x[c]));
      finite = finite && std::isfinite(v);
      if (v == 0 || !finite) continue;
      if (v > scale) {
        squares = 1 + squares * (scale / v) * (scale / v);
        scale = v;
      } else {
        squares += (v / scale) * (v / scale);
      }
    }
    const double norm = scale == 0 ? 0 : scale * std::sqrt(squares / static_cast<double>(cols));
    double inverse = 1 / std::hypot(norm, std::sqrt(1e-5));
    if (!finite) inverse = NAN;
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse * weight[c]);
  }
}
