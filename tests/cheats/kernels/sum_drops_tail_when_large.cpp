// NAME: sum_drops_tail_when_large
// TASK: sum1d
// CLASS: tail
// FLAGS: -O2 -w
// ALLOW: wrong_result
// TRIES: drops the last n % 8 values above 60000
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double s = 0;
  const std::size_t m = n > 60000 ? n / 8 * 8 : n;
  for (std::size_t i = 0; i < m; ++i) s += in[i];
  out[0] = (float)s;
}
