// The oracle of the matrix product, in double precision.
#include <cstddef>

extern "C" void reference(const double* a, const double* b, double* c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}
