// NAME: sum_accumulate
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: std::accumulate
#include <cstddef>
#include <numeric>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  *out = static_cast<float>(std::accumulate(in, in + n, 0.0));
}
