// NAME: sgemm_blocked
// TASK: sgemm
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: blocks of 64 in all three directions
#include <algorithm>
#include <cstddef>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  std::fill(c, c + m * n, 0.0f);
  for (std::size_t i0 = 0; i0 < m; i0 += 64)
    for (std::size_t p0 = 0; p0 < k; p0 += 64)
      for (std::size_t j0 = 0; j0 < n; j0 += 64)
        for (std::size_t i = i0; i < std::min(m, i0 + 64); ++i)
          for (std::size_t p = p0; p < std::min(k, p0 + 64); ++p) {
            const float x = a[i * k + p];
            for (std::size_t j = j0; j < std::min(n, j0 + 64); ++j)
              c[i * n + j] += x * b[p * n + j];
          }
}
