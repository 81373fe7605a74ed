// Softmax in three passes: largest values, exponentials with their sums, scaling. Two short rows at a time; the lines of
// the next rows, of input and of output, are asked for while this one's exponentials are computed.
// Exponentials are kept scaled by 2^64 (arguments are never positive), so nothing between is denormal; 1 / sum undoes it.
// @task softmax
// @knob SHORT_ROWS int {1, 2, 4} = 2                 rows taken together when rows are short
// @knob SHORT_COLS int {0, 128, 256, 1024} = 256     the longest short row
// @knob SHORT_UNROLL int {2, 4} = 2                  vectors of each short row a step of passes 2 and 3
// @knob LONG_UNROLL int {2, 4, 8} = 4                vectors of a long row a step of passes 2 and 3
// @knob AHEAD_X int {0, 1, 2, 4} = 1                 prefetch the input so many groups ahead (double if short); 0: never
// @knob AHEAD_Y int {0, 1, 2, 4} = 1                 prefetch the output for writing, likewise
// @knob AHEAD_COLS int {2048, 8192} = 2048           the longest row for which anything is prefetched
// @knob REDUCE enum {one, two} = one                 constants for ln 2 in the argument reduction
// @require SHORT_ROWS * SHORT_UNROLL <= 8
// @flags -O3 -march=native; -funroll-loops?; -fno-trapping-math?
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#define ROW_INLINE [[gnu::always_inline]] inline

namespace {

constexpr int W = 8;

alignas(64) constexpr int mask_table[2 * W] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

/// The first `count` lanes on, 0 < count < 8.
ROW_INLINE __m256i first_lanes(std::size_t count) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask_table + (W - count)));
}

/// The lanes of the mask, and -inf in the others.
ROW_INLINE __m256 load_part(const float* x, __m256i mask) {
  return _mm256_blendv_ps(_mm256_set1_ps(-__builtin_inff()), _mm256_maskload_ps(x, mask), _mm256_castsi256_ps(mask));
}

/// The largest lane, in every lane.
ROW_INLINE __m256 largest(__m256 v) {
  v = _mm256_max_ps(v, _mm256_permute2f128_ps(v, v, 1));
  v = _mm256_max_ps(v, _mm256_permute_ps(v, 0x4E));
  return _mm256_max_ps(v, _mm256_permute_ps(v, 0xB1));
}

/// The sum of the lanes, in every lane.
ROW_INLINE __m256 sum_of(__m256 v) {
  v = _mm256_add_ps(v, _mm256_permute2f128_ps(v, v, 1));
  v = _mm256_add_ps(v, _mm256_permute_ps(v, 0x4E));
  return _mm256_add_ps(v, _mm256_permute_ps(v, 0xB1));
}

/// 2^64 exp(d) for d <= 0; exactly 0 from the clamp down; NaN for NaN.
ROW_INLINE __m256 exponential(__m256 d) {
  const __m256 magic = _mm256_set1_ps(12583103.0f);  // 1.5 * 2^23 + 127 + 64: the low bits of the sum are the exponent
  d = _mm256_max_ps(_mm256_set1_ps(-132.4f), d);     // the second operand is the result for a NaN
  const __m256 z = _mm256_fmadd_ps(d, _mm256_set1_ps(0x1.715476p+0f), magic);
  const __m256 n = _mm256_sub_ps(z, magic);
  const __m256 scale = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(z), 23));
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.62E430p-1f), d);
  if (REDUCE == REDUCE_two) r = _mm256_fmadd_ps(n, _mm256_set1_ps(0x1.05C61p-29f), r);
  __m256 p = _mm256_fmadd_ps(_mm256_set1_ps(0x1.0F9F9Cp-7f), r, _mm256_set1_ps(0x1.573A1Ap-5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.555A80p-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.FFFDC6p-2f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.FFFFF6p-1f));
  return _mm256_fmadd_ps(_mm256_mul_ps(r, scale), p, scale);
}

/// Softmax of R adjacent rows of n values, U vectors of each a step. Accumulator k belongs to row k % R.
template <int R, int U, bool Prefetch>
ROW_INLINE void some_rows(const float* x, float* y, std::size_t n) {
  constexpr int M = R == 1 ? 8 : 8 / R;
  const std::size_t whole = n - n % W;
  const bool rest = whole < n;
  const __m256i mask = first_lanes(rest ? n - whole : 1);

  // Pass 1: largest values. A NaN is passed over here; the sum of the exponentials sees it.
  __m256 best[R * M];
#pragma GCC unroll 32
  for (int k = 0; k < R * M; ++k) best[k] = _mm256_set1_ps(-__builtin_inff());
  std::size_t i = 0;
  for (; i + M * W <= n; i += M * W) {
#pragma GCC unroll 32
    for (int k = 0; k < R * M; ++k)
      best[k] = _mm256_max_ps(_mm256_loadu_ps(x + (k % R) * n + i + (k / R) * W), best[k]);
  }
  for (; i < whole; i += W) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) best[r] = _mm256_max_ps(_mm256_loadu_ps(x + r * n + i), best[r]);
  }
  if (rest) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) best[r] = _mm256_max_ps(load_part(x + r * n + whole, mask), best[r]);
  }
#pragma GCC unroll 32
  for (int k = R * M / 2; k > R; k /= 2) {
#pragma GCC unroll 32
    for (int j = 0; j < k; ++j) best[j] = _mm256_max_ps(best[j + k], best[j]);
  }
  __m256 top[R];
#pragma GCC unroll 32
  for (int r = 0; r < R; ++r) top[r] = largest(best[r]);

  // Pass 2: exponentials, and their sums. The addresses prefetched may lie beyond the arrays, and so are integers.
  constexpr std::size_t nearer = R > 1 ? 2 : 1;
  const std::uintptr_t next_x = reinterpret_cast<std::uintptr_t>(x) + AHEAD_X * nearer * R * n * sizeof(float);
  const std::uintptr_t next_y = reinterpret_cast<std::uintptr_t>(y) + AHEAD_Y * nearer * R * n * sizeof(float);
  __m256 total[R * U];
#pragma GCC unroll 32
  for (int k = 0; k < R * U; ++k) total[k] = _mm256_setzero_ps();
  i = 0;
  for (; i + U * W <= n; i += U * W) {
    if (Prefetch) {
#pragma GCC unroll 32
      for (int k = 0; k < R * U / 2; ++k) {  // U / 2 lines of 64 bytes of each row
        const std::size_t at = ((k % R) * n + i + (k / R) * 2 * W) * sizeof(float);
        if (AHEAD_X > 0) __builtin_prefetch(reinterpret_cast<const void*>(next_x + at), 0, 3);
        if (AHEAD_Y > 0) __builtin_prefetch(reinterpret_cast<const void*>(next_y + at), 1, 3);
      }
    }
#pragma GCC unroll 32
    for (int k = 0; k < R * U; ++k) {
      const std::size_t at = (k % R) * n + i + (k / R) * W;
      const __m256 e = exponential(_mm256_sub_ps(_mm256_loadu_ps(x + at), top[k % R]));
      _mm256_storeu_ps(y + at, e);
      total[k] = _mm256_add_ps(total[k], e);
    }
  }
  for (; i < whole; i += W) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) {
      const __m256 e = exponential(_mm256_sub_ps(_mm256_loadu_ps(x + r * n + i), top[r]));
      _mm256_storeu_ps(y + r * n + i, e);
      total[r] = _mm256_add_ps(total[r], e);
    }
  }
  if (rest) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) {
      const __m256 e = exponential(_mm256_sub_ps(load_part(x + r * n + whole, mask), top[r]));
      _mm256_maskstore_ps(y + r * n + whole, mask, e);
      total[r] = _mm256_add_ps(total[r], e);
    }
  }
#pragma GCC unroll 32
  for (int k = R * U / 2; k >= R; k /= 2) {
#pragma GCC unroll 32
    for (int j = 0; j < k; ++j) total[j] = _mm256_add_ps(total[j], total[j + k]);
  }
  __m256 inverse[R];
#pragma GCC unroll 32
  for (int r = 0; r < R; ++r) inverse[r] = _mm256_div_ps(_mm256_set1_ps(1.0f), sum_of(total[r]));

  // Pass 3: scaling.
  i = 0;
  for (; i + U * W <= n; i += U * W) {
#pragma GCC unroll 32
    for (int k = 0; k < R * U; ++k) {
      float* const at = y + (k % R) * n + i + (k / R) * W;
      _mm256_storeu_ps(at, _mm256_mul_ps(_mm256_loadu_ps(at), inverse[k % R]));
    }
  }
  for (; i < whole; i += W) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) {
      float* const at = y + r * n + i;
      _mm256_storeu_ps(at, _mm256_mul_ps(_mm256_loadu_ps(at), inverse[r]));
    }
  }
  if (rest) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) {
      float* const at = y + r * n + whole;
      _mm256_maskstore_ps(at, mask, _mm256_mul_ps(_mm256_maskload_ps(at, mask), inverse[r]));
    }
  }
}

template <int R, int U, bool Prefetch>
ROW_INLINE void all_rows(const float* x, float* y, std::size_t rows, std::size_t cols) {
  std::size_t r = 0;
  for (; r + R <= rows; r += R) some_rows<R, U, Prefetch>(x + r * cols, y + r * cols, cols);
  if constexpr (R > 1)
    for (; r < rows; ++r) some_rows<1, U, false>(x + r * cols, y + r * cols, cols);
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  if (cols <= SHORT_COLS)
    all_rows<SHORT_ROWS, SHORT_UNROLL, true>(x, y, rows, cols);
  else if (cols <= AHEAD_COLS)
    all_rows<1, LONG_UNROLL, true>(x, y, rows, cols);
  else
    all_rows<1, LONG_UNROLL, false>(x, y, rows, cols);
}
