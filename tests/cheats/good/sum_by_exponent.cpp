// NAME: sum_by_exponent
// TASK: sum1d
// CLASS: good
// FLAGS: -O2
// ALLOW: ok
// TRIES: exact: adds mantissas as integers in one bin for each exponent, so that order and rotation
// change nothing
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::int64_t bins[256] = {};
  bool nan = false, plus = false, minus = false;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t u;
    std::memcpy(&u, in + i, sizeof u);
    const std::uint32_t exponent = u >> 23 & 255;
    std::int64_t mantissa = u & 0x7fffff;
    if (exponent == 255) {
      if (mantissa != 0)
        nan = true;
      else if (u >> 31)
        minus = true;
      else
        plus = true;
      continue;
    }
    if (exponent != 0) mantissa |= 0x800000;
    bins[exponent] += u >> 31 ? -mantissa : mantissa;
  }
  if (nan || (plus && minus)) {
    out[0] = NAN;
    return;
  }
  if (plus || minus) {
    out[0] = plus ? INFINITY : -INFINITY;
    return;
  }
  double total = 0;
  for (int e = 0; e < 255; ++e)
    total += std::ldexp(static_cast<double>(bins[e]), (e == 0 ? 1 : e) - 150);
  out[0] = static_cast<float>(total);
}
