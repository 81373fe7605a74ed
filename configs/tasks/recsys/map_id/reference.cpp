// The oracle of bucketize and map: counts, so that it shares nothing with a binary search. Exact: floats in doubles.
#include <cstddef>

extern "C" void reference(const double* x, const double* boundaries, const double* table, double* out,
                          std::size_t rows, std::size_t cols, std::size_t nb) {
  for (std::size_t i = 0; i < rows * cols; ++i) {
    std::size_t bucket = 0;
    for (std::size_t b = 0; b < nb; ++b) bucket += boundaries[b] < x[i];
    out[i] = table[bucket];
  }
}
