// Bucketize and gather as a textbook has it: a binary search and a copy for each value.
// @task bucketize_gather
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?
#include <cstddef>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out, std::size_t n,
                       std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t low = 0, high = nb;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (boundaries[middle] < values[i])
        low = middle + 1;
      else
        high = middle;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[low * dim + d];
  }
}
