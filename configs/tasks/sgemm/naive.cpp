// The matrix product as a textbook has it.
// @task sgemm
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -ffast-math?
#include <cstddef>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}
