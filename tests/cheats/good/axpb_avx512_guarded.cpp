// NAME: axpb_avx512_guarded
// TASK: axpb
// CLASS: good
// FLAGS: -march=native
// ALLOW: ok
// TRIES: AVX-512 where the compiler has it, plain elsewhere
#include <cstddef>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
#ifdef __AVX512F__
  for (; i < n; i += 16) {
    const __mmask16 mask = static_cast<__mmask16>(n - i < 16 ? (1u << (n - i)) - 1 : 0xffff);
    const __m512 x = _mm512_maskz_loadu_ps(mask, in + i);
    _mm512_mask_storeu_ps(out + i, mask,
                          _mm512_fmadd_ps(_mm512_set1_ps(2.0f), x, _mm512_set1_ps(1.0f)));
  }
#endif
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
