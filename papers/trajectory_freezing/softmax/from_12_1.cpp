// Softmax without a pass for the maximum: exponentials relative to a sampled guess of it, the true maximum found in the
// same loop; a row that exceeds its guess too far is done again with the true one. The loop also normalises the row before.
// Exponentials are kept scaled by 2^32, so that nothing between is denormal; 1 / sum undoes both scale and guess.
// @task softmax
// @knob UNROLL int {1, 2, 4} = 2                             vectors a step of the exponential loop
// @knob FUSE_TO int {0, 2048, 16384, 65536} = 16384          longest row that is normalised while the next one is taken
// @knob ROWS int {1, 2, 4} = 2                               short rows at once
// @knob REDUCE enum {one, two} = one                         parts of ln 2 in the argument reduction
// @flags -O3 -march=native; -funroll-loops?; -fno-trapping-math?
#include <immintrin.h>

#include <cstddef>
#include <cstring>

#define SM_INLINE static inline __attribute__((always_inline))

namespace {

constexpr float lowest = -3.402823466e38f;  // finite: a row of only -inf sums to 0, and 0 * (1 / 0) is NaN
constexpr float widest = 40.0f;             // how far a row may exceed its guess: 2^32 * e^40 * 2^30 is finite

// 2^32 * exp(d) for d <= widest; exactly 0 for d < -110.3 and -inf; NaN for NaN.
SM_INLINE __m256 ex(__m256 d) {
  const __m256 magic = _mm256_set1_ps(12583071.0f);  // 1.5 * 2^23 + 127 + 32
  d = _mm256_max_ps(_mm256_set1_ps(-110.3f), d);     // the second operand is returned for a NaN
  const __m256 m = _mm256_fmadd_ps(d, _mm256_set1_ps(0x1.715476p+0f), magic);
  const __m256 s = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(m), 23));
  const __m256 n = _mm256_sub_ps(m, magic);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.62E430p-1f), d);
  if (REDUCE == REDUCE_two) r = _mm256_fmadd_ps(n, _mm256_set1_ps(0x1.05C61p-29f), r);
  __m256 p = _mm256_fmadd_ps(_mm256_set1_ps(0x1.0F9F9Cp-7f), r, _mm256_set1_ps(0x1.573A1Ap-5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.555A80p-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.FFFDC6p-2f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.FFFFF6p-1f));
  return _mm256_fmadd_ps(_mm256_mul_ps(r, s), p, s);
}

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

// ---- longer rows ----

// A value of the row not far below its largest one, if the row is at all even. Four places, for rows with a masked end.
SM_INLINE float guess_of(const float* x, std::size_t n) {
  const __m256 low = _mm256_set1_ps(lowest);
  const __m256 a = _mm256_max_ps(_mm256_loadu_ps(x), low);
  const __m256 b = _mm256_max_ps(_mm256_loadu_ps(x + n / 4), low);
  const __m256 c = _mm256_max_ps(_mm256_loadu_ps(x + n / 2), a);
  const __m256 d = _mm256_max_ps(_mm256_loadu_ps(x + n - 8), b);
  return largest(_mm256_max_ps(c, d));
}

struct Found {
  float sum;  // of the scaled exponentials
  float top;  // largest value, NaN apart
};

// Scaled exponentials of x[0, n) - guess into y. Before: y[-n, 0) is multiplied by factor.
template <bool Before>
SM_INLINE Found step(const float* x, float* y, std::size_t n, float guess_value, float factor_value) {
  constexpr int unroll = UNROLL;
  const __m256 guess = _mm256_set1_ps(guess_value);
  const __m256 factor = _mm256_set1_ps(factor_value);
  float* before = y - (Before ? n : 0);
  __m256 before_last = factor;
  if (Before) before_last = _mm256_loadu_ps(before + n - 8);  // as it is before the loop scales a part of it
  __m256 best[unroll];
#pragma GCC unroll 8
  for (int u = 0; u < unroll; ++u) best[u] = _mm256_set1_ps(lowest);
  __m256 all = _mm256_setzero_ps();
  std::size_t i = 0;
  while (i + unroll * 8 <= n) {
    const std::size_t stop = n - i > 4096 ? i + 4096 : n;  // short sums keep their digits
    __m256 sum[unroll];
#pragma GCC unroll 8
    for (int u = 0; u < unroll; ++u) sum[u] = _mm256_setzero_ps();
    for (; i + unroll * 8 <= stop; i += unroll * 8) {
      __m256 v[unroll], w[unroll];
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u) {
        v[u] = _mm256_loadu_ps(x + i + u * 8);
        if (Before) w[u] = _mm256_mul_ps(_mm256_loadu_ps(before + i + u * 8), factor);
      }
      if (Before) {
#pragma GCC unroll 8
        for (int u = 0; u < unroll; ++u) _mm256_storeu_ps(before + i + u * 8, w[u]);
      }
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u) {
        best[u] = _mm256_max_ps(v[u], best[u]);
        v[u] = ex(_mm256_sub_ps(v[u], guess));
        sum[u] = _mm256_add_ps(sum[u], v[u]);
      }
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u) _mm256_storeu_ps(y + i + u * 8, v[u]);
    }
#pragma GCC unroll 8
    for (int u = 0; u < unroll; ++u) all = _mm256_add_ps(all, sum[u]);
  }
  for (; i + 8 <= n; i += 8) {
    const __m256 v = _mm256_loadu_ps(x + i);
    if (Before) _mm256_storeu_ps(before + i, _mm256_mul_ps(_mm256_loadu_ps(before + i), factor));
    best[0] = _mm256_max_ps(v, best[0]);
    const __m256 e = ex(_mm256_sub_ps(v, guess));
    all = _mm256_add_ps(all, e);
    _mm256_storeu_ps(y + i, e);
  }
  if (i < n) {
    const __m256 v = _mm256_loadu_ps(x + n - 8);
    if (Before) _mm256_storeu_ps(before + n - 8, _mm256_mul_ps(before_last, factor));
    best[0] = _mm256_max_ps(v, best[0]);
    const __m256 e = ex(_mm256_sub_ps(v, guess));
    all = _mm256_add_ps(all, _mm256_and_ps(e, lanes_from(8 - static_cast<int>(n - i))));
    _mm256_storeu_ps(y + n - 8, e);
  }
#pragma GCC unroll 8
  for (int u = 1; u < unroll; ++u) best[0] = _mm256_max_ps(best[u], best[0]);
  return {total(all), largest(best[0])};
}

// Not inlined: the loop is kept once, for the rare row whose guess was too low.
__attribute__((noinline)) Found again(const float* x, float* y, std::size_t n, float top) {
  return step<false>(x, y, n, top, 0.0f);
}

// From the end, which is still in the cache.
SM_INLINE void scale(float* y, std::size_t n, float value) {
  const __m256 factor = _mm256_set1_ps(value);
  const std::size_t whole = n & ~std::size_t(7);
  for (std::size_t i = whole; i < n; ++i) y[i] *= value;
  std::size_t end = whole;
  while (end > 0) {
    const std::size_t begin = end > 1024 ? end - 1024 : 0;
    std::size_t i = begin;
    for (; i + 32 <= end; i += 32) {
      __m256 v[4];
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) v[u] = _mm256_mul_ps(_mm256_loadu_ps(y + i + u * 8), factor);
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) _mm256_storeu_ps(y + i + u * 8, v[u]);
    }
    for (; i < end; i += 8) _mm256_storeu_ps(y + i, _mm256_mul_ps(_mm256_loadu_ps(y + i), factor));
    end = begin;
  }
}

void long_rows(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const bool fuse = cols <= FUSE_TO;
  float factor = 0.0f;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const float guess = guess_of(x, cols);
    Found found = fuse && r > 0 ? step<true>(x, y, cols, guess, factor) : step<false>(x, y, cols, guess, factor);
    if (!(found.top - guess <= widest)) found = again(x, y, cols, found.top);  // so too for +inf: the sum becomes NaN
    factor = 1.0f / found.sum;
    if (!fuse || r + 1 == rows) scale(y, cols, factor);
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
  long_rows(x, y, rows, cols);
}
