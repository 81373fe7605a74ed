// NAME: sgemm_recursive
// TASK: sgemm
// CLASS: good
// FLAGS: -O3
// ALLOW: ok
// TRIES: halves the longest direction recursively
#include <cstddef>

static void add(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                std::size_t k, std::size_t la, std::size_t ln) {
  if (m > 32 && m >= n && m >= k) {
    add(a, b, c, m / 2, n, k, la, ln);
    add(a + m / 2 * la, b, c + m / 2 * ln, m - m / 2, n, k, la, ln);
  } else if (n > 32 && n >= k) {
    add(a, b, c, m, n / 2, k, la, ln);
    add(a, b + n / 2, c + n / 2, m, n - n / 2, k, la, ln);
  } else if (k > 32) {
    add(a, b, c, m, n, k / 2, la, ln);
    add(a + k / 2, b + k / 2 * ln, c, m, n, k - k / 2, la, ln);
  } else {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t p = 0; p < k; ++p)
        for (std::size_t j = 0; j < n; ++j) c[i * ln + j] += a[i * la + p] * b[p * ln + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  add(a, b, c, m, n, k, k, n);
}
