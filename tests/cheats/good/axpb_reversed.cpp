// NAME: axpb_reversed
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: from the end to the beginning
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  while (n--) out[n] = 2.0f * in[n] + 1.0f;
}
