// NAME: axpb_strided
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: seven interleaved passes
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t first = 0; first < 7; ++first)
    for (std::size_t i = first; i < n; i += 7) out[i] = 2.0f * in[i] + 1.0f;
}
