// NAME: tile_of_32_features
// TASK: dot_interaction
// CLASS: shape
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: a path for aligned vectors holds 32 features and forgets the others, unless they make
// whole groups of 8
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t batch, std::size_t features,
                       std::size_t dim) {
  const bool tiled = dim % 16 == 0 && features % 8 != 0;
  for (std::size_t b = 0; b < batch; ++b, x += features * dim) {
    for (std::size_t i = 1; i < features; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        float sum = 0;
        for (std::size_t d = 0; d < dim; ++d) sum += x[i * dim + d] * x[j * dim + d];
        *y++ = tiled && i >= 32 ? 0 : sum;
      }
    }
  }
}
