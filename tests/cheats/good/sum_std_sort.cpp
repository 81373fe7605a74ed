// NAME: sum_std_sort
// TASK: sum1d
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: sorts a copy of up to 70,000 values first, adds straight beyond
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double t = 0;
  if (n <= 70000) {
    std::vector<float> v(in, in + n);
    std::sort(v.begin(), v.end(), [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    for (float x : v) t += x;
  } else
    for (std::size_t i = 0; i < n; ++i) t += in[i];
  out[0] = (float)t;
}
