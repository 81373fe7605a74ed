// NAME: embedding_sorted_indices
// TASK: embedding_bag
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: adds rows in the order of their indices
#include <algorithm>
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab,
                       std::size_t dim, std::size_t bags, std::size_t bag) {
  (void)vocab;
  std::vector<int> order(bag);
  for (std::size_t i = 0; i < bags; ++i) {
    order.assign(indices + i * bag, indices + (i + 1) * bag);
    std::sort(order.begin(), order.end());
    float* to = out + i * dim;
    std::fill(to, to + dim, 0.0f);
    for (int r : order)
      for (std::size_t d = 0; d < dim; ++d) to[d] += table[(std::size_t)r * dim + d];
  }
}
