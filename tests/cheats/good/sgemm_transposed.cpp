// NAME: sgemm_transposed
// TASK: sgemm
// CLASS: good
// FLAGS: -O3 -mavx2
// ALLOW: ok
// TRIES: transposes b into a vector first, then double dot products
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  std::vector<float> t(n * k);
  for (std::size_t p = 0; p < k; ++p)
    for (std::size_t j = 0; j < n; ++j) t[j * k + p] = b[p * n + j];
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double lane[8] = {};
      for (std::size_t p = 0; p < k; ++p)
        lane[p % 8] += static_cast<double>(a[i * k + p]) * t[j * k + p];
      double total = 0;
      for (double value : lane) total += value;
      c[i * n + j] = static_cast<float>(total);
    }
}
