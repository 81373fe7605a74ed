// NAME: linear_two_floats
// TASK: linear
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: prepacks into blocks of 16 rows, last block padded
#include <cstddef>
#include <cstdlib>

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
