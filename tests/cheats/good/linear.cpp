// TASK: linear
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
#include <cstddef>
#include <cstdlib>

// NAME: linear_prepacked
// TRIES: transposes the weights once, in prepare, and sums whole rows of the output
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

// NAME: linear_two_floats
// TRIES: prepacks into blocks of 16 rows, last block padded
static float* pack = nullptr;
static std::size_t blocks;
extern "C" void prepare(const float* w, std::size_t, std::size_t n, std::size_t k) {
  std::free(pack);
  blocks = (n + 15) / 16;
  pack = (float*)std::aligned_alloc(64, blocks * k * 64);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < 16; ++j)
        pack[(b * k + p) * 16 + j] = b * 16 + j < n ? w[(b * 16 + j) * k + p] : 0;
}
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  (void)w;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t b = 0; b < blocks; ++b) {
      float s[16] = {};
      for (std::size_t p = 0; p < k; ++p)
        for (int j = 0; j < 16; ++j) s[j] += x[i * k + p] * pack[(b * k + p) * 16 + j];
      for (std::size_t j = 0; j < 16 && b * 16 + j < n; ++j) y[i * n + b * 16 + j] = s[j];
    }
}
