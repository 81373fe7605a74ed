// NAME: sum_quadruple
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: blocks in double, and their sums in _Float128, whose arithmetic comes from libgcc
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  __float128 sum = 0;
  for (std::size_t at = 0; at < n; at += 512) {
    double block = 0;
    for (std::size_t i = at; i < n && i < at + 512; ++i) block += in[i];
    sum += block;
  }
  out[0] = static_cast<float>(static_cast<double>(sum));
}
