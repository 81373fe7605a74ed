// NAME: axpb_fma
// TASK: axpb
// CLASS: good
// FLAGS: -march=native
// ALLOW: ok
// TRIES: fused multiply-add
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::fma(2.0f, in[i], 1.0f);
}
