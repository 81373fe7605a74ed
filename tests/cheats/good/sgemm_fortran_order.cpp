// NAME: sgemm_fortran_order
// TASK: sgemm
// CLASS: good
// FLAGS: -O2 -ftree-vectorize
// ALLOW: ok
// TRIES: column after column with a packed column of b
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  std::vector<float> column(k);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t p = 0; p < k; ++p) column[p] = b[p * n + j];
    for (std::size_t i = 0; i < m; ++i) {
      float lane[4] = {};
      for (std::size_t p = 0; p < k; ++p) lane[p % 4] += a[i * k + p] * column[p];
      c[i * n + j] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
  }
}
