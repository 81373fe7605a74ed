// Softmax with one exponential a value: maximum, then exponential and sum, then multiply, in segments that fit L1.
// Exponentials are kept scaled by 2^64 (arguments are never positive), so nothing between is denormal; 1 / sum undoes it.
// @task softmax
// @knob UNROLL int {1, 2, 4, 8} = 4                    vectors a step of the exponential pass
// @knob CHUNK int {1024, 2048, 4096, 8192} = 2048      floats in a segment
// @knob ROWS int {1, 2, 4} = 2                         short rows at once
// @knob REDUCE enum {one, two} = two                   steps of the argument reduction
// @knob AHEAD bool = true                              prefetch the next segment while exponentials are computed
// @flags -O3 -march=native; -funroll-loops?; -fno-trapping-math?
#include <immintrin.h>

#include <cstddef>
#include <cstring>

#define SM_INLINE static inline __attribute__((always_inline))

namespace {

constexpr float lowest = -3.402823466e38f;  // finite: a segment of only -inf sums to 0, and 0 * (1 / 0) is NaN
constexpr std::size_t most_parts = 1024;

// 2^64 * exp(d) for d <= 0; exactly 0 for d < -132.4 and -inf; NaN for NaN.
SM_INLINE __m256 ex(__m256 d) {
  const __m256 magic = _mm256_set1_ps(12583103.0f);  // 1.5 * 2^23 + 127 + 64
  d = _mm256_max_ps(_mm256_set1_ps(-132.4f), d);     // the second operand is returned for a NaN
  const __m256 m = _mm256_fmadd_ps(d, _mm256_set1_ps(0x1.715476p+0f), magic);
  const __m256 s = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(m), 23));
  const __m256 n = _mm256_sub_ps(m, magic);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.62E430p-1f), d);
  if (REDUCE == REDUCE_two) r = _mm256_fmadd_ps(n, _mm256_set1_ps(0x1.05C61p-29f), r);
  __m256 p = _mm256_fmadd_ps(_mm256_set1_ps(0x1.0F9F9Cp-7f), r, _mm256_set1_ps(0x1.573A1Ap-5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.555A80p-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.FDFDC6p-2f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.FFFFF6p-1f));
  return _mm256_fmadd_ps(_mm256_mul_ps(r, s), p, s);
}

// exp(d), d <= 0, without the scale.
SM_INLINE float ex_one(float d) { return _mm256_cvtss_f32(ex(_mm256_set1_ps(d))) * 0x1p-64f; }

SM_INLINE float largest(__m256 v) {
  __m128 a = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  a = _mm_max_ps(a, _mm_movehl_ps(a, a));
  a = _mm_max_ss(a, _mm_movehdup_ps(a));
  return _mm_cvtss_f32(a);
}

SM_INLINE float total(__m256 v) {
  __m128 a = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  a = _mm_add_ps(a, _mm_movehl_ps(a, a));
  a = _mm_add_ss(a, _mm_movehdup_ps(a));
  return _mm_cvtss_f32(a);
}

// All ones in the lanes from `first` on.
SM_INLINE __m256 lanes_from(int first) {
  const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_castsi256_ps(_mm256_cmpgt_epi32(iota, _mm256_set1_epi32(first - 1)));
}

// ---- rows of 1 to 7 columns: a lane is a row ----

template <int C>
SM_INLINE void tiny_eight(const float* x, float* y) {
  __m256 v[C];
  __m256 top = _mm256_set1_ps(lowest);
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c) {
    if constexpr (C == 1) {
      v[c] = _mm256_loadu_ps(x);
    } else {
      v[c] = _mm256_setr_ps(x[c], x[C + c], x[2 * C + c], x[3 * C + c], x[4 * C + c], x[5 * C + c], x[6 * C + c],
                            x[7 * C + c]);
    }
    top = _mm256_max_ps(v[c], top);
  }
  __m256 sum = _mm256_setzero_ps();
#pragma GCC unroll 8
  for (int c = 0; c < C; ++c) {
    v[c] = ex(_mm256_sub_ps(v[c], top));
    sum = _mm256_add_ps(sum, v[c]);
  }
  const __m256 inverse = _mm256_div_ps(_mm256_set1_ps(1.0f), sum);
  if constexpr (C == 1) {
    _mm256_storeu_ps(y, _mm256_mul_ps(v[0], inverse));
  } else {
    alignas(32) float out[C * 8];
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) _mm256_store_ps(out + c * 8, _mm256_mul_ps(v[c], inverse));
#pragma GCC unroll 8
    for (int l = 0; l < 8; ++l) {
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) y[l * C + c] = out[c * 8 + l];
    }
  }
}

template <int C>
void tiny_rows(const float* x, float* y, std::size_t rows) {
  std::size_t r = 0;
  for (; r + 8 <= rows; r += 8) tiny_eight<C>(x + r * C, y + r * C);
  if (r < rows) {
    float in[8 * C] = {};
    float out[8 * C];
    const std::size_t bytes = (rows - r) * C * sizeof(float);
    std::memcpy(in, x + r * C, bytes);
    tiny_eight<C>(in, out);
    std::memcpy(y + r * C, out, bytes);
  }
}

// ---- rows of 8 to 64 columns: N vectors in registers, the last one overlaps the one before ----

template <int N, int R>
SM_INLINE void short_group(const float* x, float* y, std::size_t cols, __m256 fresh) {
  __m256 v[R][N];
  __m256 top[R];
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) {
    const float* row = x + k * cols;
    __m256 best = _mm256_set1_ps(lowest);
#pragma GCC unroll 8
    for (int u = 0; u < N; ++u) {
      v[k][u] = _mm256_loadu_ps(u + 1 < N ? row + u * 8 : row + (cols - 8));
      best = _mm256_max_ps(v[k][u], best);  // a NaN leaves `best`; the sum becomes NaN below
    }
    top[k] = best;
  }
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) top[k] = _mm256_set1_ps(largest(top[k]));
  __m256 sum[R];
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) {
    __m256 s = _mm256_setzero_ps();
#pragma GCC unroll 8
    for (int u = 0; u < N; ++u) {
      v[k][u] = ex(_mm256_sub_ps(v[k][u], top[k]));
      s = _mm256_add_ps(s, u + 1 < N ? v[k][u] : _mm256_and_ps(v[k][u], fresh));
    }
    sum[k] = s;
  }
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) {
    float* row = y + k * cols;
    const __m256 inverse = _mm256_set1_ps(1.0f / total(sum[k]));
#pragma GCC unroll 8
    for (int u = 0; u < N; ++u)
      _mm256_storeu_ps(u + 1 < N ? row + u * 8 : row + (cols - 8), _mm256_mul_ps(v[k][u], inverse));
  }
}

template <int N>
void short_rows(const float* x, float* y, std::size_t rows, std::size_t cols) {
  constexpr int wanted = ROWS;
  constexpr int group = N <= 2 ? wanted : N <= 4 ? (wanted < 2 ? wanted : 2) : 1;
  const __m256 fresh = lanes_from(8 * N - static_cast<int>(cols));
  std::size_t r = 0;
  for (; r + group <= rows; r += group) short_group<N, group>(x + r * cols, y + r * cols, cols, fresh);
  for (; r < rows; ++r) short_group<N, 1>(x + r * cols, y + r * cols, cols, fresh);
}

// ---- long rows: segments of at least 8 values ----

SM_INLINE float segment_top(const float* x, std::size_t len) {
  __m256 best[8];
#pragma GCC unroll 8
  for (int u = 0; u < 8; ++u) best[u] = _mm256_set1_ps(lowest);
  std::size_t i = 0;
  for (; i + 64 <= len; i += 64) {
#pragma GCC unroll 8
    for (int u = 0; u < 8; ++u) best[u] = _mm256_max_ps(_mm256_loadu_ps(x + i + u * 8), best[u]);
  }
  for (; i + 8 <= len; i += 8) best[0] = _mm256_max_ps(_mm256_loadu_ps(x + i), best[0]);
  best[1] = _mm256_max_ps(_mm256_loadu_ps(x + len - 8), best[1]);
#pragma GCC unroll 4
  for (int u = 0; u < 4; ++u) best[u] = _mm256_max_ps(best[u], best[u + 4]);
  return largest(_mm256_max_ps(_mm256_max_ps(best[0], best[1]), _mm256_max_ps(best[2], best[3])));
}

// Stores the scaled exponentials and returns their sum.
SM_INLINE float segment_exp(const float* x, float* y, std::size_t len, float top_value) {
  constexpr int unroll = UNROLL;
  const __m256 top = _mm256_set1_ps(top_value);
  const __m256 last = _mm256_loadu_ps(x + len - 8);
  __m256 sum[unroll];
#pragma GCC unroll 8
  for (int u = 0; u < unroll; ++u) sum[u] = _mm256_setzero_ps();
  std::size_t i = 0;
  for (; i + unroll * 8 <= len; i += unroll * 8) {
    __m256 v[unroll];
    if (AHEAD) {
#pragma GCC unroll 8
      for (int u = 0; u < unroll; u += 2) __builtin_prefetch(x + len + i + u * 8);
    }
#pragma GCC unroll 8
    for (int u = 0; u < unroll; ++u) v[u] = _mm256_sub_ps(_mm256_loadu_ps(x + i + u * 8), top);
#pragma GCC unroll 8
    for (int u = 0; u < unroll; ++u) {
      v[u] = ex(v[u]);
      sum[u] = _mm256_add_ps(sum[u], v[u]);
    }
#pragma GCC unroll 8
    for (int u = 0; u < unroll; ++u) _mm256_storeu_ps(y + i + u * 8, v[u]);
  }
  for (; i + 8 <= len; i += 8) {
    const __m256 e = ex(_mm256_sub_ps(_mm256_loadu_ps(x + i), top));
    sum[0] = _mm256_add_ps(sum[0], e);
    _mm256_storeu_ps(y + i, e);
  }
  if (i < len) {
    const __m256 e = ex(_mm256_sub_ps(last, top));
    sum[0] = _mm256_add_ps(sum[0], _mm256_and_ps(e, lanes_from(8 - static_cast<int>(len - i))));
    _mm256_storeu_ps(y + len - 8, e);
  }
  __m256 all = sum[0];
#pragma GCC unroll 8
  for (int u = 1; u < unroll; ++u) all = _mm256_add_ps(all, sum[u]);
  return total(all);
}

// y * first, or y * first * second: the product of both factors alone could be denormal.
template <bool Twice>
SM_INLINE void segment_scale(float* y, std::size_t len, float first, float second) {
  const __m256 a = _mm256_set1_ps(first), b = _mm256_set1_ps(second);
  const auto scaled = [&](__m256 v) __attribute__((always_inline)) {
    v = _mm256_mul_ps(v, a);
    if constexpr (Twice) v = _mm256_mul_ps(v, b);
    return v;
  };
  const __m256 last = _mm256_loadu_ps(y + len - 8);
  std::size_t i = 0;
  for (; i + 32 <= len; i += 32) {
    const __m256 v0 = scaled(_mm256_loadu_ps(y + i));
    const __m256 v1 = scaled(_mm256_loadu_ps(y + i + 8));
    const __m256 v2 = scaled(_mm256_loadu_ps(y + i + 16));
    const __m256 v3 = scaled(_mm256_loadu_ps(y + i + 24));
    _mm256_storeu_ps(y + i, v0);
    _mm256_storeu_ps(y + i + 8, v1);
    _mm256_storeu_ps(y + i + 16, v2);
    _mm256_storeu_ps(y + i + 24, v3);
  }
  for (; i + 8 <= len; i += 8) _mm256_storeu_ps(y + i, scaled(_mm256_loadu_ps(y + i)));
  if (i < len) _mm256_storeu_ps(y + len - 8, scaled(last));
}

void whole_rows(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const float top = segment_top(x, cols);
    const float sum = segment_exp(x, y, cols, top);
    segment_scale<false>(y, cols, 1.0f / sum, 1.0f);
  }
}

void split_rows(const float* x, float* y, std::size_t rows, std::size_t cols, std::size_t len, std::size_t parts) {
  float tops[most_parts];
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = lowest, sum = 0.0f;
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t start = p * len, count = p + 1 < parts ? len : cols - start;
      const float here = segment_top(x + start, count);
      if (here > top) {
        sum *= ex_one(top - here);
        top = here;
      }
      tops[p] = top;
      sum += segment_exp(x + start, y + start, count, top);
    }
    const float inverse = 1.0f / sum;
    for (std::size_t p = parts; p-- > 0;) {  // backwards: the last segments are still in the cache
      const std::size_t start = p * len, count = p + 1 < parts ? len : cols - start;
      if (tops[p] == top)
        segment_scale<false>(y + start, count, inverse, 1.0f);
      else
        segment_scale<true>(y + start, count, ex_one(tops[p] - top), inverse);
    }
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  if (rows == 0 || cols == 0) return;
  switch (cols) {
    case 1: return tiny_rows<1>(x, y, rows);
    case 2: return tiny_rows<2>(x, y, rows);
    case 3: return tiny_rows<3>(x, y, rows);
    case 4: return tiny_rows<4>(x, y, rows);
    case 5: return tiny_rows<5>(x, y, rows);
    case 6: return tiny_rows<6>(x, y, rows);
    case 7: return tiny_rows<7>(x, y, rows);
    default: break;
  }
  switch ((cols + 7) / 8) {
    case 1: return short_rows<1>(x, y, rows, cols);
    case 2: return short_rows<2>(x, y, rows, cols);
    case 3: return short_rows<3>(x, y, rows, cols);
    case 4: return short_rows<4>(x, y, rows, cols);
    case 5: return short_rows<5>(x, y, rows, cols);
    case 6: return short_rows<6>(x, y, rows, cols);
    case 7: return short_rows<7>(x, y, rows, cols);
    case 8: return short_rows<8>(x, y, rows, cols);
    default: break;
  }
  std::size_t len = (cols / most_parts + 8) / 8 * 8;
  if (len < CHUNK) len = CHUNK;
  const std::size_t parts = cols / len;
  if (parts <= 1)
    whole_rows(x, y, rows, cols);
  else
    split_rows(x, y, rows, cols, len, parts);
}
