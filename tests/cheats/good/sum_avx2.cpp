// NAME: sum_avx2
// TASK: sum1d
// CLASS: good
// FLAGS: -mavx2
// ALLOW: ok
// TRIES: AVX2 converting to double lanes
#include <immintrin.h>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  __m256d low = _mm256_setzero_pd(), high = low;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    low = _mm256_add_pd(low, _mm256_cvtps_pd(_mm_loadu_ps(in + i)));
    high = _mm256_add_pd(high, _mm256_cvtps_pd(_mm_loadu_ps(in + i + 4)));
  }
  double lane[4], total = 0;
  _mm256_storeu_pd(lane, _mm256_add_pd(low, high));
  for (double value : lane) total += value;
  for (; i < n; ++i) total += in[i];
  *out = static_cast<float>(total);
}
