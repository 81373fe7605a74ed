// NAME: axpb_x87
// TASK: axpb
// CLASS: good
// FLAGS: -mfpmath=387
// ALLOW: ok|rejected
// TRIES: computes on the x87 unit, whose flag may be refused
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(2.0L * in[i] + 1.0L);
}
