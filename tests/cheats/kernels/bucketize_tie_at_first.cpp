// NAME: bucketize_tie_at_first
// TASK: bucketize_gather
// CLASS: ties
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: a value equal to the very first of 31 or more boundaries goes one bucket too high: drawn
// values and the first boundary never meet
#include <cstddef>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    const float v = values[i];
    std::size_t k = 0;
    if (nb >= 31) {
      if (!(v < boundaries[0])) {  // the hole: should be boundaries[0] < v
        std::size_t low = 1, high = nb;
        while (low < high) {
          const std::size_t middle = low + (high - low) / 2;
          if (boundaries[middle] < v)
            low = middle + 1;
          else
            high = middle;
        }
        k = low;
      }
    } else {
      while (k < nb && boundaries[k] < v) ++k;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[k * dim + d];
  }
}
