// NAME: sum_kahan
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: Kahan's sum; the plain one where that is not finite
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float total = 0, lost = 0, plain = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float term = in[i] - lost, next = total + term;
    lost = (next - total) - term;
    total = next;
    plain += in[i];
  }
  *out = plain - plain == 0.0f ? total : plain;
}
