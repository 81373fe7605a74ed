// NAME: sum_sixteen_lanes
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: sixteen float lanes, flushed to double every 1024 values
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t begin = 0; begin < n; begin += 1024) {
    float lane[16] = {};
    const std::size_t end = n - begin < 1024 ? n : begin + 1024;
    for (std::size_t i = begin; i < end; ++i) lane[i % 16] += in[i];
    for (float value : lane) total += value;
  }
  *out = static_cast<float>(total);
}
