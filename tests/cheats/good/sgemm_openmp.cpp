// NAME: sgemm_openmp
// TASK: sgemm
// CLASS: good
// FLAGS: -fopenmp -O3 -march=native
// ALLOW: ok
// TRIES: rows shared among threads
#include <cstddef>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
#pragma omp parallel for
  for (long i = 0; i < static_cast<long>(m); ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) row[j] += a[i * k + p] * b[p * n + j];
  }
}
