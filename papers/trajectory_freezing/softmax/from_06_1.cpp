// Softmax in three passes over several rows at a time: largest values, short exponentials with their sums, scaling.
// @task softmax
// @knob SHORT_ROWS int {1, 2, 3, 4} = 4              rows taken together when rows are short
// @knob LONG_ROWS int {1, 2, 3, 4} = 2               rows taken together when rows are long
// @knob SHORT_COLS int {128, 256, 512} = 256         the longest short row
// @knob SHORT_UNROLL int {1, 2, 4} = 1               vectors of each row a step, short rows, passes 2 and 3
// @knob LONG_UNROLL int {1, 2, 4} = 2                vectors of each row a step, long rows, passes 2 and 3
// @knob MAX_UNROLL int {1, 2, 4} = 2                 vectors of each row a step in pass 1
// @knob DEGREE int {4, 5, 6} = 5                     polynomial of 2^f on [-1/2, 1/2]
// @knob POLY enum {horner, estrin} = horner          fewest operations, or the shortest chain
// @require SHORT_ROWS * SHORT_UNROLL <= 8
// @require LONG_ROWS * LONG_UNROLL <= 8
// @require SHORT_ROWS * MAX_UNROLL <= 12
// @require LONG_ROWS * MAX_UNROLL <= 12
// @flags -O3 -march=native; -funroll-loops?; -fno-trapping-math?
#include <immintrin.h>

#include <cstddef>

#define ROW_INLINE [[gnu::always_inline]] inline

namespace {

constexpr int W = 8;

alignas(32) constexpr int mask_table[2 * W] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

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

// 2^f on [-1/2, 1/2], economised from its series (degree 6: the series itself, rounded to fit); exactly 1 at 0.
constexpr float c1 = DEGREE == 4 ? 0.6931210342f : DEGREE == 5 ? 0.6931472066f : 0.6931472028f;
constexpr float c2 = DEGREE == 6 ? 0.2402264791f : 0.24022109166f;
constexpr float c3 = DEGREE == 4 ? 0.05592203355f : DEGREE == 5 ? 0.05550327453f : 0.05550332471f;
constexpr float c4 = DEGREE == 6 ? 0.009618437357f : 0.00967589234f;
constexpr float c5 = DEGREE == 6 ? 0.001339887440f : 0.00134002888f;
constexpr float c6 = 0.0001535336188f;

/// exp(x - top) for x <= top; 0 below 2^-126.5; NaN for a NaN and for inf - inf.
ROW_INLINE __m256 exponential(__m256 x, __m256 top) {
  const __m256 log2_e = _mm256_set1_ps(1.44269504088896341f);
  const __m256 magic = _mm256_set1_ps(12583039.0f);  // 1.5 * 2^23 + 127: the low bits of the sum are the exponent
  // max gives its second operand where either is a NaN. At the bound the exponent field is 0, and so is the scale.
  const __m256 d = _mm256_max_ps(_mm256_set1_ps(-88.0297f), _mm256_sub_ps(x, top));
  const __m256 z = _mm256_fmadd_ps(d, log2_e, magic);
  const __m256 whole = _mm256_sub_ps(z, magic);
  const __m256 f = _mm256_fmsub_ps(d, log2_e, whole);
  const __m256 scale = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(z), 23));
  const __m256 one = _mm256_set1_ps(1.0f);
  __m256 high = _mm256_set1_ps(c4);
  if (DEGREE == 5) high = _mm256_fmadd_ps(_mm256_set1_ps(c5), f, high);
  if (DEGREE == 6) high = _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_set1_ps(c6), f, _mm256_set1_ps(c5)), f, high);
  __m256 p;
  if (POLY == POLY_horner) {
    p = _mm256_fmadd_ps(high, f, _mm256_set1_ps(c3));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(c2));
    p = _mm256_fmadd_ps(p, f, _mm256_set1_ps(c1));
    p = _mm256_fmadd_ps(p, f, one);
  } else {
    const __m256 square = _mm256_mul_ps(f, f);
    const __m256 middle = _mm256_fmadd_ps(_mm256_set1_ps(c3), f, _mm256_set1_ps(c2));
    const __m256 low = _mm256_fmadd_ps(_mm256_set1_ps(c1), f, one);
    p = _mm256_fmadd_ps(_mm256_fmadd_ps(high, square, middle), square, low);
  }
  return _mm256_mul_ps(p, scale);
}

/// Softmax of R adjacent rows of n values, U vectors of each a step. Accumulator k belongs to row k % R.
template <int R, int U>
ROW_INLINE void some_rows(const float* x, float* y, std::size_t n) {
  constexpr int M = MAX_UNROLL;
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
  for (int k = R; k < R * M; ++k) best[k % R] = _mm256_max_ps(best[k], best[k % R]);
  __m256 top[R];
#pragma GCC unroll 32
  for (int r = 0; r < R; ++r) top[r] = largest(best[r]);

  // Pass 2: exponentials, and their sums.
  __m256 total[R * U];
#pragma GCC unroll 32
  for (int k = 0; k < R * U; ++k) total[k] = _mm256_setzero_ps();
  i = 0;
  for (; i + U * W <= n; i += U * W) {
#pragma GCC unroll 32
    for (int k = 0; k < R * U; ++k) {
      const std::size_t at = (k % R) * n + i + (k / R) * W;
      const __m256 e = exponential(_mm256_loadu_ps(x + at), top[k % R]);
      _mm256_storeu_ps(y + at, e);
      total[k] = _mm256_add_ps(total[k], e);
    }
  }
  for (; i < whole; i += W) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) {
      const __m256 e = exponential(_mm256_loadu_ps(x + r * n + i), top[r]);
      _mm256_storeu_ps(y + r * n + i, e);
      total[r] = _mm256_add_ps(total[r], e);
    }
  }
  if (rest) {
#pragma GCC unroll 32
    for (int r = 0; r < R; ++r) {
      const __m256 e = exponential(load_part(x + r * n + whole, mask), top[r]);
      _mm256_maskstore_ps(y + r * n + whole, mask, e);
      total[r] = _mm256_add_ps(total[r], e);
    }
  }
#pragma GCC unroll 32
  for (int k = R; k < R * U; ++k) total[k % R] = _mm256_add_ps(total[k % R], total[k]);
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

template <int R, int U>
ROW_INLINE void all_rows(const float* x, float* y, std::size_t rows, std::size_t cols) {
  std::size_t r = 0;
  for (; r + R <= rows; r += R) some_rows<R, U>(x + r * cols, y + r * cols, cols);
  for (; r < rows; ++r) some_rows<1, U>(x + r * cols, y + r * cols, cols);
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  if (cols <= SHORT_COLS)
    all_rows<SHORT_ROWS, SHORT_UNROLL>(x, y, rows, cols);
  else
    all_rows<LONG_ROWS, LONG_UNROLL>(x, y, rows, cols);
}
