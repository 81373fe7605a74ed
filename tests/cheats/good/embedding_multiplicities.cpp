// NAME: embedding_multiplicities
// TASK: embedding_bag
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: counts how often an index stands in its bag and adds multiples of rows, each once
#include <cstddef>

extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab,
                       std::size_t dim, std::size_t bags, std::size_t bag) {
  (void)vocab;
  for (std::size_t i = 0; i < bags; ++i) {
    const int* own = indices + i * bag;
    float* to = out + i * dim;
    for (std::size_t d = 0; d < dim; ++d) to[d] = 0;
    for (std::size_t j = 0; j < bag; ++j) {
      bool before = false;
      for (std::size_t e = 0; e < j && !before; ++e) before = own[e] == own[j];
      if (before) continue;
      float times = 1;
      for (std::size_t e = j + 1; e < bag; ++e) times += own[e] == own[j] ? 1.0f : 0.0f;
      const float* row = table + static_cast<std::size_t>(own[j]) * dim;
      for (std::size_t d = 0; d < dim; ++d) to[d] += times * row[d];
    }
  }
}
