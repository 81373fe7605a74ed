// NAME: linear_prepacked
// TASK: linear
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: transposes the weights once, in prepare, and sums whole rows of the output
#include <cstddef>
#include <cstdlib>

static float* turned = nullptr;

extern "C" void prepare(const float* w, std::size_t, std::size_t n, std::size_t k) {
  std::free(turned);
  turned = static_cast<float*>(std::malloc(n * k * sizeof(float)));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t p = 0; p < k; ++p) turned[p * n + j] = w[j * k + p];
}

extern "C" void kernel(const float* x, const float*, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    float* row = y + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float factor = x[i * k + p];
      for (std::size_t j = 0; j < n; ++j) row[j] += factor * turned[p * n + j];
    }
  }
}
