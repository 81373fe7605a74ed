// NAME: sum_reassociated
// TASK: sum1d
// CLASS: good
// FLAGS: -O3 -march=native -fassociative-math -fno-signed-zeros -fno-trapping-math
// ALLOW: ok
// TRIES: the compiler may re-associate sums of small blocks
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t begin = 0; begin < n; begin += 128) {
    float block = 0;
    for (std::size_t i = begin; i < n && i < begin + 128; ++i) block += in[i];
    total += block;
  }
  *out = static_cast<float>(total);
}
