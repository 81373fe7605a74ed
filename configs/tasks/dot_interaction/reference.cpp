// The oracle of the pairwise dot interaction, in double precision.
#include <cstddef>

extern "C" void reference(const double* x, double* y, std::size_t batch, std::size_t features, std::size_t dim) {
  for (std::size_t b = 0; b < batch; ++b, x += features * dim)
    for (std::size_t i = 1; i < features; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double sum = 0;
        for (std::size_t d = 0; d < dim; ++d) sum += x[i * dim + d] * x[j * dim + d];
        *y++ = sum;
      }
}
