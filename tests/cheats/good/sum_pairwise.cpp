// NAME: sum_pairwise
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: pairwise in float
#include <cstddef>

static float add(const float* in, std::size_t n) {
  if (n <= 64) {
    float total = 0;
    for (std::size_t i = 0; i < n; ++i) total += in[i];
    return total;
  }
  return add(in, n / 2) + add(in + n / 2, n - n / 2);
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { *out = add(in, n); }
