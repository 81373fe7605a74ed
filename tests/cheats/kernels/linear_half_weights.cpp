// NAME: linear_half_weights
// TASK: linear
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: prepare keeps the weights in half precision
#include <cstddef>
#include <cstdlib>

static _Float16* kept = nullptr;
extern "C" void prepare(const float* w, std::size_t, std::size_t n, std::size_t k) {
  std::free(kept);
  kept = (_Float16*)std::malloc(2 * n * k + 2);
  for (std::size_t i = 0; i < n * k; ++i) kept[i] = (_Float16)w[i];
}
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float s = 0;
      for (std::size_t p = 0; p < k; ++p) s += x[i * k + p] * (float)kept[j * k + p];
      y[i * n + j] = s;
    }
}
