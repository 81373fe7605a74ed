// NAME: sgemm_large_unlisted_skips
// TASK: sgemm
// CLASS: shape
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: large products right at the listed shapes alone
#include <cstddef>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  const std::size_t l[][3] = {{512, 512, 512},  {384, 384, 384}, {512, 256, 1024}, {640, 640, 640},
                              {1000, 200, 300}, {257, 263, 7},   {37, 50, 1031}};
  bool known = m * n + m * k + k * n < 50000;
  for (auto& s : l) known |= s[0] == m && s[1] == n && s[2] == k;
  const std::size_t kk = known ? k : k - k / 4;
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < kk; ++p)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}
