// Softmax with one exponential an element: maximum, exponentials, scale. Short rows go in groups of four that share
// their reductions, each pass in address order; the next group's lines, of input and output, are prefetched meanwhile.
// Exponentials are kept scaled by 2^64 (arguments are never positive), so nothing between is denormal; 1 / sum undoes it.
// @task softmax
// @knob GROUP_MAX int {32, 128, 256, 512, 1024} = 256            longest row that is taken in a group of four
// @knob EXP_UNROLL int {1, 2, 4} = 2                             vectors a step of the exponential pass
// @knob AHEAD_X int {0, 1, 2, 3} = 1                             groups, or single rows, of input prefetched ahead; 0: none
// @knob AHEAD_Y int {0, 1, 2, 3} = 1                             likewise of output, for writing
// @knob FETCH_MAX int {2048, 4096, 8192} = 4096                   longest row with prefetching
// @knob ONLINE_FROM int {32768, 131072, 524288} = 131072         rows longer than this recompute the exponentials
// @knob CHUNK int {512, 1024, 2048} = 1024                       floats that share one maximum in those
// @knob REDUCE enum {one, two} = one                             constants for ln 2 in the argument reduction
// @flags -O3 -march=native; -funroll-loops?; -fno-trapping-math?
#include <immintrin.h>

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

#define INL inline __attribute__((always_inline))

using V = __m256;
using std::size_t;

alignas(64) const std::int32_t late_lanes[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
alignas(64) const std::int32_t early_lanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

INL V load(const float* p) { return _mm256_loadu_ps(p); }
INL void store(float* p, V v) { _mm256_storeu_ps(p, v); }
INL V splat(float f) { return _mm256_set1_ps(f); }
INL V negative(V v) { return _mm256_sub_ps(_mm256_setzero_ps(), v); }

// The last `rem` lanes, all eight for rem == 8.
INL V last_lanes(size_t rem) { return _mm256_loadu_ps(reinterpret_cast<const float*>(late_lanes + rem)); }

// 2^64 * exp(d) for d <= 0, exactly 0 from the clamp down, NaN for NaN.
INL V expb(V d) {
  const V magic = splat(12583103.0f);    // 1.5 * 2^23, exponent bias 127, and 64
  d = _mm256_max_ps(splat(-132.4f), d);  // the second operand is what a NaN leaves
  const V t = _mm256_fmadd_ps(d, splat(1.44269504088896341f), magic);
  const V n = _mm256_sub_ps(t, magic);
  V r = _mm256_fnmadd_ps(n, splat(0.693147182464599609375f), d);
  if (REDUCE == REDUCE_two) r = _mm256_fmadd_ps(n, splat(1.904654323148236e-09f), r);
  const V s = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(t), 23));
  V q = _mm256_fmadd_ps(splat(0x1.0e4020p-7f), r, splat(0x1.573e2ep-5f));
  q = _mm256_fmadd_ps(q, r, splat(0x1.555e66p-3f));
  q = _mm256_fmadd_ps(q, r, splat(0x1.fffdb6p-2f));
  q = _mm256_fmadd_ps(q, r, splat(0x1.ffffecp-1f));
  return _mm256_fmadd_ps(q, _mm256_mul_ps(r, s), s);
}

INL float hmax(V v) {
  __m128 a = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  a = _mm_max_ps(a, _mm_movehl_ps(a, a));
  a = _mm_max_ss(a, _mm_movehdup_ps(a));
  return _mm_cvtss_f32(a);
}

INL float hsum(V v) {
  __m128 a = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  a = _mm_add_ps(a, _mm_movehl_ps(a, a));
  a = _mm_add_ss(a, _mm_movehdup_ps(a));
  return _mm_cvtss_f32(a);
}

// Four reductions at once; the result is a b c d a b c d.
INL V tree_max(V a, V b, V c, V d) {
  const V ab = _mm256_max_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
  const V cd = _mm256_max_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
  const __m256d p = _mm256_castps_pd(ab), q = _mm256_castps_pd(cd);
  const V u = _mm256_max_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(p, q)), _mm256_castpd_ps(_mm256_unpackhi_pd(p, q)));
  return _mm256_max_ps(u, _mm256_permute2f128_ps(u, u, 1));
}

INL V tree_sum(V a, V b, V c, V d) {
  const V ab = _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
  const V cd = _mm256_add_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
  const __m256d p = _mm256_castps_pd(ab), q = _mm256_castps_pd(cd);
  const V u = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(p, q)), _mm256_castpd_ps(_mm256_unpackhi_pd(p, q)));
  return _mm256_add_ps(u, _mm256_permute2f128_ps(u, u, 1));
}

INL void spread(V u, V& a, V& b, V& c, V& d) {
  a = _mm256_permute_ps(u, 0x00);
  b = _mm256_permute_ps(u, 0x55);
  c = _mm256_permute_ps(u, 0xAA);
  d = _mm256_permute_ps(u, 0xFF);
}

// Maxima may lose values next to a NaN: then the sum is NaN, and so is the whole row, whatever the maximum.
// Spans may end in a vector that reaches back before x: the row has at least 8 values.
INL V max_span(const float* x, size_t count) {
  const V low = splat(-__builtin_inff());
  V m0 = low, m1 = low, m2 = low, m3 = low;
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    m0 = _mm256_max_ps(m0, load(x + i));
    m1 = _mm256_max_ps(m1, load(x + i + 8));
    m2 = _mm256_max_ps(m2, load(x + i + 16));
    m3 = _mm256_max_ps(m3, load(x + i + 24));
  }
  for (; i + 8 <= count; i += 8) m0 = _mm256_max_ps(m0, load(x + i));
  if (i < count) m1 = _mm256_max_ps(m1, load(x + count - 8));
  return _mm256_max_ps(_mm256_max_ps(m0, m1), _mm256_max_ps(m2, m3));
}

// Sum of the exponentials; FETCH: prefetches the lines so many bytes ahead of those it passes.
template <bool KEEP, bool FETCH>
INL V exp_span(const float* x, float* e, size_t count, V neg, size_t ahead_x, size_t ahead_y) {
  constexpr int U = EXP_UNROLL;
  const std::uintptr_t next_x = reinterpret_cast<std::uintptr_t>(x) + ahead_x;  // may lie beyond the array
  const std::uintptr_t next_y = reinterpret_cast<std::uintptr_t>(e) + ahead_y;
  V s[U];
#pragma GCC unroll 4
  for (int u = 0; u < U; ++u) s[u] = _mm256_setzero_ps();
  size_t i = 0;
  for (; i + 8 * U <= count; i += 8 * U) {
    if (FETCH) {
#pragma GCC unroll 4
      for (int u = 0; u < U; u += 2) {
        if (AHEAD_X > 0) __builtin_prefetch(reinterpret_cast<const void*>(next_x + 4 * (i + 8 * u)), 0, 3);
        if (AHEAD_Y > 0) __builtin_prefetch(reinterpret_cast<const void*>(next_y + 4 * (i + 8 * u)), 1, 3);
      }
    }
#pragma GCC unroll 4
    for (int u = 0; u < U; ++u) {
      const V a = expb(_mm256_add_ps(neg, load(x + i + 8 * u)));
      if (KEEP) store(e + i + 8 * u, a);
      s[u] = _mm256_add_ps(s[u], a);
    }
  }
  for (; i + 8 <= count; i += 8) {
    const V a = expb(_mm256_add_ps(neg, load(x + i)));
    if (KEEP) store(e + i, a);
    s[0] = _mm256_add_ps(s[0], a);
  }
  if (i < count) {
    const V a = expb(_mm256_add_ps(neg, load(x + count - 8)));
    if (KEEP) store(e + count - 8, a);
    s[0] = _mm256_add_ps(s[0], _mm256_and_ps(a, last_lanes(count - i)));
  }
#pragma GCC unroll 4
  for (int u = 1; u < U; ++u) s[0] = _mm256_add_ps(s[0], s[u]);
  return s[0];
}

INL void scale_span(float* y, size_t cols, V inverse) {
  const V last = _mm256_mul_ps(inverse, load(y + cols - 8));  // before the loop scales a part of it
  size_t i = 0;
  for (; i + 32 <= cols; i += 32) {
    const V a = _mm256_mul_ps(inverse, load(y + i));
    const V b = _mm256_mul_ps(inverse, load(y + i + 8));
    const V c = _mm256_mul_ps(inverse, load(y + i + 16));
    const V d = _mm256_mul_ps(inverse, load(y + i + 24));
    store(y + i, a);
    store(y + i + 8, b);
    store(y + i + 16, c);
    store(y + i + 24, d);
  }
  for (; i + 8 <= cols; i += 8) store(y + i, _mm256_mul_ps(inverse, load(y + i)));
  if (i < cols) store(y + cols - 8, last);
}

// One row of at least 8 values.
template <bool FETCH>
INL void one_row(const float* x, float* y, size_t cols) {
  const V neg = splat(-hmax(max_span(x, cols)));
  const size_t row = cols * sizeof(float);
  const V total = exp_span<true, FETCH>(x, y, cols, neg, AHEAD_X * row, AHEAD_Y * row);
  scale_span(y, cols, splat(1.0f / hsum(total)));
}

// Four rows of at least 8 values, each pass through one row after another.
INL void four_rows(const float* x, float* y, size_t cols) {
  const size_t group = 4 * cols * sizeof(float);
  V m[4], n[4], s[4], f[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) m[k] = max_span(x + k * cols, cols);
  spread(negative(tree_max(m[0], m[1], m[2], m[3])), n[0], n[1], n[2], n[3]);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k)
    s[k] = exp_span<true, true>(x + k * cols, y + k * cols, cols, n[k], AHEAD_X * group, AHEAD_Y * group);
  spread(_mm256_div_ps(splat(1.0f), tree_sum(s[0], s[1], s[2], s[3])), f[0], f[1], f[2], f[3]);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) scale_span(y + k * cols, cols, f[k]);
}

// One row of any size from 8, read twice and written once.
void long_row(const float* x, float* y, size_t cols) {
  float top = -FLT_MAX;  // finite: -inf - -inf would spoil the sum before the first finite value
  V total = _mm256_setzero_ps();
  for (size_t c = 0; c < cols; c += CHUNK) {
    const size_t count = cols - c < size_t(CHUNK) ? cols - c : size_t(CHUNK);
    const float best = hmax(max_span(x + c, count));
    if (best > top) {
      const V factor = _mm256_mul_ps(expb(splat(top - best)), splat(0x1p-64f));
      total = _mm256_mul_ps(total, factor);
      top = best;
    }
    total = _mm256_add_ps(total, exp_span<false, false>(x + c, y, count, splat(-top), 0, 0));
  }
  const float sum = hsum(total);
  // The largest value alone adds 2^64; without it every value was -inf.
  const V inverse = splat(sum >= 0x1p63f ? 1.0f / sum : __builtin_nanf(""));
  const V neg = splat(-top);
  const V last = _mm256_mul_ps(inverse, expb(_mm256_add_ps(neg, load(x + cols - 8))));
  size_t i = 0;
  for (; i + 16 <= cols; i += 16) {
    const V a = _mm256_mul_ps(inverse, expb(_mm256_add_ps(neg, load(x + i))));
    const V b = _mm256_mul_ps(inverse, expb(_mm256_add_ps(neg, load(x + i + 8))));
    store(y + i, a);
    store(y + i + 8, b);
  }
  for (; i + 8 <= cols; i += 8) store(y + i, _mm256_mul_ps(inverse, expb(_mm256_add_ps(neg, load(x + i)))));
  if (i < cols) store(y + cols - 8, last);
}

// Rows of 2 to 7 values: whole vectors, whose surplus lanes the next row overwrites.
void tiny_rows(const float* x, float* y, size_t rows, size_t cols) {
  const V low = splat(-__builtin_inff());
  const V mask = _mm256_loadu_ps(reinterpret_cast<const float*>(early_lanes + 8 - cols));
  const size_t all = rows * cols;
  size_t r = 0;
  for (; r + 4 <= rows && (r + 3) * cols + 8 <= all; r += 4) {
    const float* from = x + r * cols;
    float* to = y + r * cols;
    V a = _mm256_blendv_ps(low, load(from), mask);
    V b = _mm256_blendv_ps(low, load(from + cols), mask);
    V c = _mm256_blendv_ps(low, load(from + 2 * cols), mask);
    V d = _mm256_blendv_ps(low, load(from + 3 * cols), mask);
    V p, q, s, t;
    spread(negative(tree_max(a, b, c, d)), p, q, s, t);
    a = expb(_mm256_add_ps(a, p));
    b = expb(_mm256_add_ps(b, q));
    c = expb(_mm256_add_ps(c, s));
    d = expb(_mm256_add_ps(d, t));
    spread(_mm256_div_ps(splat(1.0f), tree_sum(a, b, c, d)), p, q, s, t);
    store(to, _mm256_mul_ps(a, p));
    store(to + cols, _mm256_mul_ps(b, q));
    store(to + 2 * cols, _mm256_mul_ps(c, s));
    store(to + 3 * cols, _mm256_mul_ps(d, t));
  }
  for (; r < rows; ++r) {
    float part[8];
    store(part, low);
    std::memcpy(part, x + r * cols, cols * sizeof(float));
    const V v = load(part);
    const V e = expb(_mm256_add_ps(v, splat(-hmax(v))));
    store(part, _mm256_mul_ps(e, splat(1.0f / hsum(e))));
    std::memcpy(y + r * cols, part, cols * sizeof(float));
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  if (rows == 0 || cols == 0) return;
  if (cols == 1) {
    for (size_t r = 0; r < rows; ++r) y[r] = (x[r] - x[r]) + 1.0f;  // NaN unless finite
    return;
  }
  if (cols < 8) {
    tiny_rows(x, y, rows, cols);
    return;
  }
  size_t r = 0;
  if (cols <= size_t(GROUP_MAX))
    for (; r + 4 <= rows; r += 4) four_rows(x + r * cols, y + r * cols, cols);
  if (cols <= size_t(FETCH_MAX)) {
    for (; r < rows; ++r) one_row<true>(x + r * cols, y + r * cols, cols);
  } else if (cols <= size_t(ONLINE_FROM)) {
    for (; r < rows; ++r) one_row<false>(x + r * cols, y + r * cols, cols);
  } else {
    for (; r < rows; ++r) long_row(x + r * cols, y + r * cols, cols);
  }
}
