// The oracle of the compressed feature interaction, in double precision.
#include <cstddef>
#include <vector>

extern "C" void reference(const double* x, const double* p, double* y, std::size_t batch, std::size_t features,
                          std::size_t dim, std::size_t factors) {
  for (std::size_t b = 0; b < batch; ++b, x += features * dim, p += features * factors, y += features * factors) {
    std::vector<double> inner(dim * factors, 0.0);
    for (std::size_t j = 0; j < features; ++j)
      for (std::size_t d = 0; d < dim; ++d)
        for (std::size_t k = 0; k < factors; ++k) inner[d * factors + k] += x[j * dim + d] * p[j * factors + k];
    for (std::size_t i = 0; i < features; ++i)
      for (std::size_t k = 0; k < factors; ++k) {
        double sum = 0;
        for (std::size_t d = 0; d < dim; ++d) sum += x[i * dim + d] * inner[d * factors + k];
        y[i * factors + k] = sum;
      }
  }
}
