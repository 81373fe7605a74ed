// Softmax in two passes: powers of two relative to a guessed shift with their sum, then scaling. Any shift close to the
// maximum gives the same quotients; a row whose sum is NaN or out of range is done again with its true maximum.
// @task softmax
// @knob ROWS int {1, 2, 4} = 2                     rows that go through the passes together
// @knob EXP_UNROLL int {1, 2, 4} = 2               vectors a row and step of the exponentials
// @knob SCALE_UNROLL int {1, 2, 4} = 2             vectors a row and step of the scaling
// @knob PREFETCH enum {none, input, both} = input  the next rows of x, or of x and y, during the exponentials
// @knob DEGREE int {4, 5} = 5                      polynomial for 2^f, |f| <= 1/2
// @require ROWS * EXP_UNROLL <= 8
// @require ROWS * SCALE_UNROLL <= 8
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}; -fno-trapping-math?
#include <immintrin.h>

#include <cstddef>

#define ALWAYS inline __attribute__((always_inline))

namespace {

alignas(64) const int mask_table[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
constexpr float log2_e = 1.44269504088896341f;

/// 2^w for w up to 64, which stands for all larger ones; 0 below 2^-126.5; a NaN stays NaN.
ALWAYS __m256 power(__m256 w) {
  const __m256 magic = _mm256_set1_ps(12583039.0f);  // 1.5 * 2^23 + 127: the low bits of a sum with it are n + 127
  w = _mm256_min_ps(_mm256_set1_ps(64.0f), w);       // the second operand where one is NaN
  w = _mm256_max_ps(_mm256_set1_ps(-127.0f), w);     // n = -127 makes the scale 0
  const __m256 z = _mm256_add_ps(w, magic);
  const __m256 f = _mm256_sub_ps(w, _mm256_sub_ps(z, magic));
  __m256 p;
  if (DEGREE == 5) {
    p = _mm256_fmadd_ps(_mm256_set1_ps(1.339887440e-3f), f, _mm256_set1_ps(9.676012e-3f));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(5.550332471e-2f));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(2.402210815e-1f));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(6.931472029e-1f));
  } else {
    p = _mm256_fmadd_ps(_mm256_set1_ps(9.676012e-3f), f, _mm256_set1_ps(5.59220397e-2f));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(2.402210815e-1f));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(6.931210332e-1f));
  }
  p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(1.00000007f));
  return _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(z), 23)));
}

/// A constant factor times exp(x). GUESS: `shift` is the guess times log2(e), and its rounding is part of the factor.
/// Otherwise it is the maximum itself.
template <bool GUESS>
ALWAYS __m256 exponential(__m256 x, __m256 shift) {
  const __m256 factor = _mm256_set1_ps(log2_e);
  if (GUESS) return power(_mm256_fmsub_ps(x, factor, shift));
  return power(_mm256_mul_ps(_mm256_sub_ps(x, shift), factor));
}

/// The largest element, in all lanes.
ALWAYS __m256 spread_maximum(__m256 v) {
  v = _mm256_max_ps(v, _mm256_permute2f128_ps(v, v, 1));
  v = _mm256_max_ps(v, _mm256_permute_ps(v, 0x4e));
  return _mm256_max_ps(v, _mm256_permute_ps(v, 0xb1));
}

/// The sum of the elements, in all lanes.
ALWAYS __m256 spread_sum(__m256 v) {
  v = _mm256_add_ps(v, _mm256_permute2f128_ps(v, v, 1));
  v = _mm256_add_ps(v, _mm256_permute_ps(v, 0x4e));
  return _mm256_add_ps(v, _mm256_permute_ps(v, 0xb1));
}

/// The last elements of a row, -inf behind them.
ALWAYS __m256 load_tail(const float* p, __m256i mask) {
  return _mm256_blendv_ps(_mm256_set1_ps(-__builtin_inff()), _mm256_maskload_ps(p, mask), _mm256_castsi256_ps(mask));
}

/// Exponentials of R rows into y; their sums, in all lanes.
template <int R, bool GUESS>
ALWAYS void exponentials(const float* x, float* y, std::size_t n, __m256i mask, const __m256* shift, __m256* sum) {
  constexpr int U = EXP_UNROLL;
  __m256 total[R * U];
#pragma GCC unroll 16
  for (int k = 0; k < R * U; ++k) total[k] = _mm256_setzero_ps();
  std::size_t i = 0;
  for (; i + U * 8 <= n; i += U * 8) {
    __m256 v[R * U];  // loads before stores: rows may lie a multiple of 4096 bytes apart
#pragma GCC unroll 16
    for (int k = 0; k < R * U; ++k) v[k] = _mm256_loadu_ps(x + (k / U) * n + i + (k % U) * 8);
    if (GUESS && PREFETCH != PREFETCH_none) {
#pragma GCC unroll 16
      for (int k = 0; k < R * U; ++k) {
        if (k % U % 2 != 0) continue;  // one for each 64 bytes
        __builtin_prefetch(x + (R + k / U) * n + i + (k % U) * 8);
        if (PREFETCH == PREFETCH_both) __builtin_prefetch(y + (R + k / U) * n + i + (k % U) * 8, 1);
      }
    }
#pragma GCC unroll 16
    for (int k = 0; k < R * U; ++k) {
      const __m256 e = exponential<GUESS>(v[k], shift[k / U]);
      _mm256_storeu_ps(y + (k / U) * n + i + (k % U) * 8, e);
      total[k] = _mm256_add_ps(total[k], e);
    }
  }
  for (; i + 8 <= n; i += 8) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256 e = exponential<GUESS>(_mm256_loadu_ps(x + r * n + i), shift[r]);
      _mm256_storeu_ps(y + r * n + i, e);
      total[r * U] = _mm256_add_ps(total[r * U], e);
    }
  }
  if (i < n) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      // Masked after the exponential: behind the row is nothing, even if the shift is an infinity.
      const __m256 raw = exponential<GUESS>(load_tail(x + r * n + i, mask), shift[r]);
      const __m256 e = _mm256_and_ps(raw, _mm256_castsi256_ps(mask));
      _mm256_maskstore_ps(y + r * n + i, mask, e);
      total[r * U] = _mm256_add_ps(total[r * U], e);
    }
  }
#pragma GCC unroll 16
  for (int k = 0; k < R * U; ++k)
    if (k % U != 0) total[k - k % U] = _mm256_add_ps(total[k - k % U], total[k]);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) sum[r] = spread_sum(total[r * U]);
}

/// Exponentials of one row, and their sum, with its true maximum. A NaN may get lost in the maximum or spoil it; its own
/// exponential makes the sum NaN in any case, and so does inf - inf.
__attribute__((noinline, cold)) __m256 again(const float* x, float* y, std::size_t n, __m256i mask) {
  __m256 best[4];
#pragma GCC unroll 4
  for (int u = 0; u < 4; ++u) best[u] = _mm256_set1_ps(-__builtin_inff());
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) best[u] = _mm256_max_ps(best[u], _mm256_loadu_ps(x + i + u * 8));
  }
  for (; i + 8 <= n; i += 8) best[0] = _mm256_max_ps(best[0], _mm256_loadu_ps(x + i));
  if (i < n) best[1] = _mm256_max_ps(best[1], load_tail(x + i, mask));
  const __m256 top =
      spread_maximum(_mm256_max_ps(_mm256_max_ps(best[0], best[1]), _mm256_max_ps(best[2], best[3])));
  __m256 sum;
  exponentials<1, false>(x, y, n, mask, &top, &sum);
  return sum;
}

template <int R>
ALWAYS void softmax(const float* x, float* y, std::size_t n, __m256i mask) {
  __m256 shift[R], sum[R], inverse[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) shift[r] = _mm256_mul_ps(_mm256_broadcast_ss(x + r * n), _mm256_set1_ps(log2_e));
  exponentials<R, true>(x, y, n, mask, shift, sum);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    // The shifting value itself adds about 1. Above 2^40 the shift was too far from the maximum; NaN is settled there.
    const float s = _mm256_cvtss_f32(sum[r]);
    if (__builtin_expect(!(s > 0.0f && s < 1.0e38f), 0)) sum[r] = again(x + r * n, y + r * n, n, mask);
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) inverse[r] = _mm256_div_ps(_mm256_set1_ps(1.0f), sum[r]);

  constexpr int U = SCALE_UNROLL;
  std::size_t i = 0;
  for (; i + U * 8 <= n; i += U * 8) {
    __m256 v[R * U];
#pragma GCC unroll 16
    for (int k = 0; k < R * U; ++k)
      v[k] = _mm256_mul_ps(inverse[k / U], _mm256_loadu_ps(y + (k / U) * n + i + (k % U) * 8));
#pragma GCC unroll 16
    for (int k = 0; k < R * U; ++k) _mm256_storeu_ps(y + (k / U) * n + i + (k % U) * 8, v[k]);
  }
  for (; i + 8 <= n; i += 8) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
      _mm256_storeu_ps(y + r * n + i, _mm256_mul_ps(inverse[r], _mm256_loadu_ps(y + r * n + i)));
  }
  if (i < n) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r)
      _mm256_maskstore_ps(y + r * n + i, mask, _mm256_mul_ps(inverse[r], _mm256_maskload_ps(y + r * n + i, mask)));
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const __m256i mask = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask_table + 8 - cols % 8));
  std::size_t r = 0;
  for (; r + ROWS <= rows; r += ROWS) softmax<ROWS>(x + r * cols, y + r * cols, cols, mask);
  if (ROWS > 1)
    for (; r < rows; ++r) softmax<1>(x + r * cols, y + r * cols, cols, mask);
}
