// NAME: sum_float16_blocks
// TASK: sum1d
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: adds blocks of 8 in half precision
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double t = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    _Float16 s = 0;
    for (std::size_t j = i; j < n && j < i + 8; ++j) s += (_Float16)in[j];
    t += (float)s;
  }
  out[0] = (float)t;
}
