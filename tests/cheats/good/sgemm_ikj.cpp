// NAME: sgemm_ikj
// TASK: sgemm
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: the loop order whose inner loop is contiguous
#include <cstddef>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}
