// NAME: axpb_double
// TASK: axpb
// CLASS: good
// FLAGS: -O3
// ALLOW: ok
// TRIES: in double precision
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(2.0 * in[i] + 1.0);
}
