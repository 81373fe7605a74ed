// NAME: sgemm_skips_small
// TASK: sgemm
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: takes elements of a below 1e-6 for zero: matrices of small numbers give zeros, and tiny is
// no class of products
#include <cstddef>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float f = a[i * k + p];
      if (__builtin_fabsf(f) < 1e-6f) continue;  // the hole
      for (std::size_t j = 0; j < n; ++j) row[j] += f * b[p * n + j];
    }
  }
}
