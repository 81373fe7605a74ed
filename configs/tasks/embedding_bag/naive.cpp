// The embedding bag as a textbook has it: clear, then add row after row.
// @task embedding_bag
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fprefetch-loop-arrays?
#include <cstddef>

extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab, std::size_t dim,
                       std::size_t bags, std::size_t bag) {
  (void)vocab;
  for (std::size_t i = 0; i < bags; ++i) {
    float* to = out + i * dim;
    for (std::size_t d = 0; d < dim; ++d) to[d] = 0;
    for (std::size_t j = 0; j < bag; ++j) {
      const float* row = table + indices[i * bag + j] * dim;
      for (std::size_t d = 0; d < dim; ++d) to[d] += row[d];
    }
  }
}
