#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void reference(const double* q, const double* k, const double* v, double* y, std::size_t n, std::size_t m,
                          std::size_t d) {
  std::vector<double> weights(m);
  for (std::size_t i = 0; i < n; ++i) {
    double top = -INFINITY, sum = 0;
    for (std::size_t j = 0; j < m; ++j) {
      double dot = 0;
      for (std::size_t c = 0; c < d; ++c) dot += q[i * d + c] * k[j * d + c];
      weights[j] = dot / std::sqrt(static_cast<double>(d));
      top = std::max(top, weights[j]);
    }
    for (std::size_t j = 0; j < m; ++j) sum += weights[j] = std::exp(weights[j] - top);
    for (std::size_t c = 0; c < d; ++c) {
      double total = 0;
      for (std::size_t j = 0; j < m; ++j) total += weights[j] * v[j * d + c];
      y[i * d + c] = total / sum;
    }
  }
}
