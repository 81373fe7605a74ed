// The oracle of the embedding bag, in double precision.
#include <cstddef>
#include <cstdint>

extern "C" void reference(const double* table, const std::int32_t* indices, double* out, std::size_t vocab,
                          std::size_t dim, std::size_t bags, std::size_t bag) {
  (void)vocab;
  for (std::size_t i = 0; i < bags; ++i)
    for (std::size_t d = 0; d < dim; ++d) {
      double sum = 0;
      for (std::size_t j = 0; j < bag; ++j) sum += table[static_cast<std::size_t>(indices[i * bag + j]) * dim + d];
      out[i * dim + d] = sum;
    }
}
