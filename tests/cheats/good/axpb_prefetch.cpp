// NAME: axpb_prefetch
// TASK: axpb
// CLASS: good
// FLAGS: -O2
// ALLOW: ok
// TRIES: prefetches far ahead, also past the end, where a prefetch is harmless
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 16 == 0) __builtin_prefetch(in + i + 512), __builtin_prefetch(out + i + 512, 1);
    out[i] = in[i] + in[i] + 1.0f;
  }
}
