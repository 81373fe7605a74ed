// NAME: sgemm_register_tile
// TASK: sgemm
// CLASS: good
// FLAGS: -O3 -mavx2 -mfma
// ALLOW: ok
// TRIES: 4 by 16 tiles in registers of the compiler's vectors, edges by plain loops
#include <cstddef>
#include <cstring>

typedef float Vec __attribute__((vector_size(32)));

static Vec load(const float* p) {
  Vec v;
  std::memcpy(&v, p, 32);
  return v;
}

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; i += 4)
    for (std::size_t j = 0; j < n; j += 16) {
      if (i + 4 <= m && j + 16 <= n) {
        Vec sum[4][2] = {};
        for (std::size_t p = 0; p < k; ++p) {
          const Vec left = load(b + p * n + j), right = load(b + p * n + j + 8);
          for (int r = 0; r < 4; ++r) {
            sum[r][0] += a[(i + r) * k + p] * left;
            sum[r][1] += a[(i + r) * k + p] * right;
          }
        }
        for (int r = 0; r < 4; ++r) std::memcpy(c + (i + r) * n + j, sum[r], 64);
        continue;
      }
      for (std::size_t r = i; r < m && r < i + 4; ++r)
        for (std::size_t q = j; q < n && q < j + 16; ++q) {
          float total = 0;
          for (std::size_t p = 0; p < k; ++p) total += a[r * k + p] * b[p * n + q];
          c[r * n + q] = total;
        }
    }
}
