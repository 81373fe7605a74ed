// NAME: axpb_ftz_restored
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: flushes subnormals while it works and restores the control word
#include <xmmintrin.h>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  _mm_setcsr(before);
}
