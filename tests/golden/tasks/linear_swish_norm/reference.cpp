#include <cmath>
#include <cstddef>

extern "C" void reference(const double* x, const double* w, double* y, std::size_t rows, std::size_t inner,
                          std::size_t groups) {
  const std::size_t width = 16, columns = width * groups;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t g = 0; g < groups; ++g) {
      double* group = y + r * columns + g * width;
      double mean = 0, variance = 0;
      for (std::size_t c = 0; c < width; ++c) {
        double z = 0;
        for (std::size_t i = 0; i < inner; ++i) z += x[r * inner + i] * w[(g * width + c) * inner + i];
        group[c] = z / (1 + std::exp(-z));
        mean += group[c] / width;
      }
      for (std::size_t c = 0; c < width; ++c) variance += (group[c] - mean) * (group[c] - mean) / width;
      for (std::size_t c = 0; c < width; ++c) group[c] = (group[c] - mean) / std::sqrt(variance + 1e-5);
    }
  }
}
