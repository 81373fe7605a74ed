// NAME: axpb_streaming
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: non-temporal stores to the aligned output, a fence at the end
#include <immintrin.h>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m128 x = _mm_load_ps(in + i);
    _mm_stream_ps(out + i, _mm_add_ps(_mm_add_ps(x, x), _mm_set1_ps(1.0f)));
  }
  _mm_sfence();
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
