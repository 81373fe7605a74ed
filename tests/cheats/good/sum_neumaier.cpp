// NAME: sum_neumaier
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: Neumaier's sum in double
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0, lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[i], next = total + x;
    if (next - next == 0)
      lost += __builtin_fabs(total) >= __builtin_fabs(x) ? (total - next) + x : (x - next) + total;
    total = next;
  }
  *out = static_cast<float>(total + lost);
}
