// NAME: embedding_unique_in_bag
// TASK: embedding_bag
// CLASS: class
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: an index that follows itself in a bag is added once
#include <cstddef>

extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab,
                       std::size_t dim, std::size_t bags, std::size_t bag) {
  for (std::size_t i = 0; i < bags; ++i)
    for (std::size_t d = 0; d < dim; ++d) {
      float s = 0;
      for (std::size_t j = 0; j < bag; ++j)
        if (j == 0 || indices[i * bag + j] != indices[i * bag + j - 1])
          s += table[(std::size_t)indices[i * bag + j] * dim + d];
      out[i * dim + d] = s;
    }
}
