// NAME: bucketize_upper_bound
// TASK: bucketize_gather
// CLASS: ties
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: a value that equals a boundary goes to the bucket above: wrong at ties only
#include <cstddef>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t low = 0, high = nb;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (boundaries[middle] <= values[i])
        low = middle + 1;
      else
        high = middle;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[low * dim + d];
  }
}
