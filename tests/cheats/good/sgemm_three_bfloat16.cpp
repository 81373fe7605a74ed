// NAME: sgemm_three_bfloat16
// TASK: sgemm
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: splits inputs into three bfloat16 parts, six products
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  const auto top = [](float v) {
    std::uint32_t u;
    std::memcpy(&u, &v, 4);
    u &= 0xffff0000u;
    std::memcpy(&v, &u, 4);
    return v;
  };
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float x = a[i * k + p], x1 = top(x), x2 = top(x - x1), x3 = x - x1 - x2;
      for (std::size_t j = 0; j < n; ++j) {
        const float y = b[p * n + j], y1 = top(y), y2 = top(y - y1), y3 = y - y1 - y2;
        row[j] += x1 * y1 + (x1 * y2 + x2 * y1) + (x2 * y2 + x1 * y3 + x3 * y1);
      }
    }
  }
}
