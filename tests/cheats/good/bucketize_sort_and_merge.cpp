// NAME: bucketize_sort_and_merge
// TASK: bucketize_gather
// CLASS: good
// FLAGS: -O3
// ALLOW: ok
// TRIES: sorts the values with their places, then walks values and boundaries together
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  std::vector<std::pair<float, std::size_t>> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = {values[i], i};
  std::sort(order.begin(), order.end());
  std::size_t k = 0;
  for (const auto& [value, at] : order) {
    while (k < nb && boundaries[k] < value) ++k;
    std::copy_n(table + k * dim, dim, out + at * dim);
  }
}
