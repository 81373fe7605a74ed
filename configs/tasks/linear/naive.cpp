// The linear layer as a textbook has it.
// @task linear
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -ffast-math?
#include <cstddef>

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = sum;
    }
}
