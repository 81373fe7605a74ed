// NAME: axpb_avx2_unaligned
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: AVX2 by target attribute, unaligned loads from the front, the rest alone
#include <immintrin.h>
#include <cstddef>

__attribute__((target("avx2"))) static std::size_t vectors(const float* in, float* out,
                                                           std::size_t n) {
  std::size_t i = 0;
  const __m256 two = _mm256_set1_ps(2.0f), one = _mm256_set1_ps(1.0f);
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(out + i, _mm256_add_ps(_mm256_mul_ps(two, _mm256_loadu_ps(in + i)), one));
  return i;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = vectors(in, out, n); i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
