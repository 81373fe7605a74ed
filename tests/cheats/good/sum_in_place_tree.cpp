// NAME: sum_in_place_tree
// TASK: sum1d
// CLASS: good
// ALLOW: ok
// TRIES: halves a malloc'ed copy until one value is left
#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n == 0) return void(*out = 0);
  float* own = static_cast<float*>(std::malloc(n * 4));
  std::memcpy(own, in, n * 4);
  while (n > 1) {
    const std::size_t half = (n + 1) / 2;
    for (std::size_t i = 0; i + half < n; ++i) own[i] += own[i + half];
    n = half;
  }
  *out = own[0];
  std::free(own);
}
