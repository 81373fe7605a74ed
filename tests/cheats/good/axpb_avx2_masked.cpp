// NAME: axpb_avx2_masked
// TASK: axpb
// CLASS: good
// FLAGS: -mavx2
// ALLOW: ok
// TRIES: AVX2 with a masked tail: reads and writes nothing beyond the end
#include <immintrin.h>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const __m256 one = _mm256_set1_ps(1.0f);
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (std::size_t i = 0; i < n; i += 8) {
    const int left = n - i < 8 ? static_cast<int>(n - i) : 8;
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(left), lanes);
    const __m256 x = _mm256_maskload_ps(in + i, mask);
    _mm256_maskstore_ps(out + i, mask, _mm256_add_ps(_mm256_add_ps(x, x), one));
  }
}
