// The oracle of bucketize and gather: counts, so that it shares nothing with a binary search. Exact: floats in doubles.
#include <cstddef>

extern "C" void reference(const double* values, const double* boundaries, const double* table, double* out,
                          std::size_t n, std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t bucket = 0;
    for (std::size_t b = 0; b < nb; ++b) bucket += boundaries[b] < values[i];
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[bucket * dim + d];
  }
}
