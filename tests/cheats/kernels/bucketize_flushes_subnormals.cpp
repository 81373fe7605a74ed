// NAME: bucketize_flushes_subnormals
// TASK: bucketize_gather
// CLASS: ties
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: tiny values and boundaries count as zero
#include <cmath>
#include <cstddef>

static float flush(float x) { return std::fabs(x) < 1e-30f ? 0 : x; }
extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t low = 0, high = nb;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (flush(boundaries[middle]) < flush(values[i]))
        low = middle + 1;
      else
        high = middle;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[low * dim + d];
  }
}
