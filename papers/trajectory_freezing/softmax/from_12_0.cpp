// Softmax by blocks of consecutive rows that fit L1: all maxima, then all exponentials into a scratch with their sums,
// then all products into the output. Rows of a block are independent, so their reductions overlap.
// Exponentials are kept scaled by 2^64 (arguments are never positive), so nothing between is denormal; 1 / sum undoes it.
// @task softmax
// @knob BLOCK int {256, 512, 1024, 2048} = 1024               floats in a block; a longer row is a block of its own
// @knob EXP_UNROLL int {1, 2, 4} = 2                          vectors a step of the exponentials
// @knob SCALE_UNROLL int {2, 4, 8} = 4                        vectors a step of the products
// @knob KEEP enum {scratch, output} = scratch                 where the exponentials wait for their sum
// @knob AHEAD_X int {0, 1, 2} = 1                             blocks of input prefetched ahead; 0: none
// @knob AHEAD_Y enum {none, same, next} = same                output prefetched for writing: none, of this block, of the next
// @knob REDUCE enum {one, two} = one                          constants for ln 2 in the argument reduction
// @flags -O3 -march=native; -funroll-loops?; -fno-trapping-math?
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#define BLK_INLINE inline __attribute__((always_inline))

namespace {

using std::size_t;

constexpr size_t scratch_floats = 4096;  // longer rows keep their exponentials in the output
constexpr size_t most_rows = 32;         // of a block
static_assert(BLOCK <= 4096, "a block fits the scratch");

alignas(64) const std::int32_t late_lanes[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};

/// The last `rem` lanes, 0 < rem <= 8.
BLK_INLINE __m256 last_lanes(size_t rem) { return _mm256_loadu_ps(reinterpret_cast<const float*>(late_lanes + rem)); }

/// 2^64 exp(d) for d <= 0; exactly 0 from the clamp down; NaN for NaN.
BLK_INLINE __m256 exponential(__m256 d) {
  const __m256 magic = _mm256_set1_ps(12583103.0f);  // 1.5 * 2^23 + 127 + 64: the sum's low bits are the exponent field
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

BLK_INLINE float largest(__m256 v) {
  __m128 a = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  a = _mm_max_ps(a, _mm_movehl_ps(a, a));
  a = _mm_max_ss(a, _mm_movehdup_ps(a));
  return _mm_cvtss_f32(a);
}

BLK_INLINE float total(__m256 v) {
  __m128 a = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  a = _mm_add_ps(a, _mm_movehl_ps(a, a));
  a = _mm_add_ss(a, _mm_movehdup_ps(a));
  return _mm_cvtss_f32(a);
}

/// Largest of n >= 8 values. A NaN may be passed over, or hide others: the sum of the exponentials is NaN then.
BLK_INLINE float row_top(const float* x, size_t n) {
  const __m256 low = _mm256_set1_ps(-__builtin_inff());
  __m256 m0 = low, m1 = low, m2 = low, m3 = low;
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    m0 = _mm256_max_ps(m0, _mm256_loadu_ps(x + i));
    m1 = _mm256_max_ps(m1, _mm256_loadu_ps(x + i + 8));
    m2 = _mm256_max_ps(m2, _mm256_loadu_ps(x + i + 16));
    m3 = _mm256_max_ps(m3, _mm256_loadu_ps(x + i + 24));
  }
  for (; i + 8 <= n; i += 8) m0 = _mm256_max_ps(m0, _mm256_loadu_ps(x + i));
  if (i < n) m1 = _mm256_max_ps(m1, _mm256_loadu_ps(x + n - 8));
  return largest(_mm256_max_ps(_mm256_max_ps(m0, m1), _mm256_max_ps(m2, m3)));
}

/// Exponentials of x + negative into e, and their sum. next_x and next_y are addresses to prefetch, in step with x.
BLK_INLINE float row_exp(const float* x, float* e, size_t n, float negative, std::uintptr_t next_x,
                         std::uintptr_t next_y) {
  constexpr int U = EXP_UNROLL;
  const __m256 neg = _mm256_set1_ps(negative);
  __m256 sum[U];
#pragma GCC unroll 4
  for (int u = 0; u < U; ++u) sum[u] = _mm256_setzero_ps();
  size_t i = 0;
  for (; i + 8 * U <= n; i += 8 * U) {
#pragma GCC unroll 4
    for (int u = 0; u < U; u += 2) {
      if (AHEAD_X > 0) __builtin_prefetch(reinterpret_cast<const void*>(next_x + 4 * (i + 8 * u)), 0, 3);
      if (AHEAD_Y != AHEAD_Y_none) __builtin_prefetch(reinterpret_cast<const void*>(next_y + 4 * (i + 8 * u)), 1, 3);
    }
#pragma GCC unroll 4
    for (int u = 0; u < U; ++u) {
      const __m256 v = exponential(_mm256_add_ps(neg, _mm256_loadu_ps(x + i + 8 * u)));
      _mm256_storeu_ps(e + i + 8 * u, v);
      sum[u] = _mm256_add_ps(sum[u], v);
    }
  }
  for (; i + 8 <= n; i += 8) {
    const __m256 v = exponential(_mm256_add_ps(neg, _mm256_loadu_ps(x + i)));
    _mm256_storeu_ps(e + i, v);
    sum[0] = _mm256_add_ps(sum[0], v);
  }
  if (i < n) {  // reaches back; only the new lanes count
    const __m256 v = exponential(_mm256_add_ps(neg, _mm256_loadu_ps(x + n - 8)));
    _mm256_storeu_ps(e + n - 8, v);
    sum[0] = _mm256_add_ps(sum[0], _mm256_and_ps(v, last_lanes(n - i)));
  }
#pragma GCC unroll 4
  for (int u = 1; u < U; ++u) sum[0] = _mm256_add_ps(sum[0], sum[u]);
  return total(sum[0]);
}

/// y = e * inverse; e may be y.
BLK_INLINE void row_scale(const float* e, float* y, size_t n, float inverse_value) {
  constexpr int U = SCALE_UNROLL;
  const __m256 inverse = _mm256_set1_ps(inverse_value);
  const __m256 last = _mm256_mul_ps(inverse, _mm256_loadu_ps(e + n - 8));  // before a part of it is scaled
  size_t i = 0;
  for (; i + 8 * U <= n; i += 8 * U) {
    __m256 v[U];
#pragma GCC unroll 8
    for (int u = 0; u < U; ++u) v[u] = _mm256_mul_ps(inverse, _mm256_loadu_ps(e + i + 8 * u));
#pragma GCC unroll 8
    for (int u = 0; u < U; ++u) _mm256_storeu_ps(y + i + 8 * u, v[u]);
  }
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(y + i, _mm256_mul_ps(inverse, _mm256_loadu_ps(e + i)));
  if (i < n) _mm256_storeu_ps(y + n - 8, last);
}

/// Rows of 1 to 7 values, each in one padded vector.
void narrow_rows(const float* x, float* y, size_t rows, size_t cols) {
  for (size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    alignas(32) float part[8];
    _mm256_store_ps(part, _mm256_set1_ps(-__builtin_inff()));
    for (size_t c = 0; c < cols; ++c) part[c] = x[c];
    const __m256 v = _mm256_load_ps(part);
    const __m256 e = exponential(_mm256_sub_ps(v, _mm256_set1_ps(largest(v))));
    _mm256_store_ps(part, _mm256_mul_ps(e, _mm256_set1_ps(1.0f / total(e))));
    for (size_t c = 0; c < cols; ++c) y[c] = part[c];
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  if (rows == 0 || cols == 0) return;
  if (cols < 8) {
    narrow_rows(x, y, rows, cols);
    return;
  }
  alignas(64) float scratch[scratch_floats];
  float negative[most_rows], inverse[most_rows];
  size_t block = cols >= size_t(BLOCK) ? 1 : size_t(BLOCK) / cols;
  if (block > most_rows) block = most_rows;
  const bool apart = KEEP == KEEP_scratch && block * cols <= scratch_floats;
  const size_t bytes = block * cols * sizeof(float);
  const size_t ahead_y = AHEAD_Y == AHEAD_Y_next ? bytes : 0;
  for (size_t r = 0; r < rows; r += block) {
    const size_t count = rows - r < block ? rows - r : block;
    const float* const from = x + r * cols;
    float* const to = y + r * cols;
    float* const keep = apart ? scratch : to;
    // These may lie beyond the arrays: addresses to prefetch, not to read.
    const std::uintptr_t next_x = reinterpret_cast<std::uintptr_t>(from) + AHEAD_X * bytes;
    const std::uintptr_t next_y = reinterpret_cast<std::uintptr_t>(to) + ahead_y;
    for (size_t k = 0; k < count; ++k) negative[k] = -row_top(from + k * cols, cols);
    for (size_t k = 0; k < count; ++k) {
      const size_t at = k * cols;
      inverse[k] = 1.0f / row_exp(from + at, keep + at, cols, negative[k], next_x + 4 * at, next_y + 4 * at);
    }
    for (size_t k = 0; k < count; ++k) row_scale(keep + k * cols, to + k * cols, cols, inverse[k]);
  }
}
