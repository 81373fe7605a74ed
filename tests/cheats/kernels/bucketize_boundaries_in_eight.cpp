// NAME: bucketize_boundaries_in_eight
// TASK: bucketize_gather
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: takes every value above 8 to lie above all boundaries: wrong where boundaries lie beyond
// 8, and none are ever drawn there
#include <cstddef>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  static unsigned first[4098];  // boundaries below -8 + cell / 256
  std::size_t b = 0;
  for (int cell = 0; cell < 4098; ++cell) {
    const float edge = -8.0f + static_cast<float>(cell) / 256;
    while (b < nb && boundaries[b] < edge) ++b;
    first[cell] = static_cast<unsigned>(b);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float v = values[i];
    std::size_t k;
    if (v > 8) {
      k = nb;  // the hole
    } else if (v <= -8) {
      k = 0;  // the hole
    } else {
      k = first[static_cast<int>((v + 8) * 256)];
      while (k > 0 && !(boundaries[k - 1] < v)) --k;
      while (k < nb && boundaries[k] < v) ++k;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[k * dim + d];
  }
}
