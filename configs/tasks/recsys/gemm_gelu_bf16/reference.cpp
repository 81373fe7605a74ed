// The oracle of the linear layer with GELU, in double precision.
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void reference(const double* x, const double* weight, const double* bias, double* y, std::size_t m,
                          std::size_t n, std::size_t k) {
  std::vector<double> turned(k * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t p = 0; p < k; ++p) turned[p * n + j] = weight[j * k + p];
  for (std::size_t i = 0; i < m; ++i) {
    double* row = y + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = bias[j];
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) row[j] += x[i * k + p] * turned[p * n + j];
    for (std::size_t j = 0; j < n; ++j) row[j] = 0.5 * row[j] * std::erfc(-row[j] * std::sqrt(0.5));
  }
}
