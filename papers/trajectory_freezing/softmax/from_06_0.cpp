// Softmax, several rows together: exponentials with their sums, then one loop that normalises this group of rows and
// finds the largest values of the next group.
// @task softmax
// @knob ROWS int {1, 2, 4} = 2             rows that go through the loops together
// @knob EXP_UNROLL int {1, 2, 4} = 2       vectors a row and step of the exponentials
// @knob SCALE_UNROLL int {1, 2, 4} = 2     vectors a row and step of the other loops
// @knob FUSE int {0, 1} = 1                1: normalise a group in the loop that finds the next group's maxima
// @knob DEGREE int {4, 5} = 5              polynomial for 2^f, |f| <= 1/2
// @knob LOG2E_TERMS int {1, 2} = 1         floats that stand for log2(e) in the reduction
// @require ROWS * EXP_UNROLL <= 8
// @require ROWS * SCALE_UNROLL <= 8
// @flags -O3 -march=native; -funroll-loops?; -mprefer-vector-width={256,512}; -fno-trapping-math?
#include <immintrin.h>

#include <cstddef>

#define ALWAYS inline __attribute__((always_inline))

namespace {

alignas(64) const int mask_table[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

/// exp(t) for t <= 0: 2^n * 2^f with n >= -127. Results below FLT_MIN become 0, a NaN stays NaN.
ALWAYS __m256 exponential(__m256 t) {
  const __m256 log2_e = _mm256_set1_ps(1.44269504088896341f);
  const __m256 magic = _mm256_set1_ps(12583039.0f);  // 1.5 * 2^23 + 127: the low bits of a sum with it are n + 127
  t = _mm256_max_ps(_mm256_set1_ps(-88.02f), t);     // the second operand where one is NaN
  const __m256 z = _mm256_fmadd_ps(t, log2_e, magic);
  const __m256 n = _mm256_sub_ps(z, magic);
  __m256 f = _mm256_fmsub_ps(t, log2_e, n);
  if (LOG2E_TERMS == 2) f = _mm256_fmadd_ps(t, _mm256_set1_ps(1.92596303e-8f), f);
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

/// Exponentials of R rows into y; leaves 1 / sum of each row in `inverse`.
template <int R>
ALWAYS void exponentials(const float* x, float* y, std::size_t n, __m256i mask, const __m256* top, __m256* inverse) {
  constexpr int U = EXP_UNROLL;
  __m256 total[R * U];
#pragma GCC unroll 16
  for (int k = 0; k < R * U; ++k) total[k] = _mm256_setzero_ps();
  std::size_t i = 0;
  for (; i + U * 8 <= n; i += U * 8) {
    __m256 v[R * U];  // loads before stores: rows may lie a multiple of 4096 bytes apart
#pragma GCC unroll 16
    for (int k = 0; k < R * U; ++k)
      v[k] = _mm256_sub_ps(_mm256_loadu_ps(x + (k / U) * n + i + (k % U) * 8), top[k / U]);
#pragma GCC unroll 16
    for (int k = 0; k < R * U; ++k) {
      const __m256 e = exponential(v[k]);
      _mm256_storeu_ps(y + (k / U) * n + i + (k % U) * 8, e);
      total[k] = _mm256_add_ps(total[k], e);
    }
  }
  for (; i + 8 <= n; i += 8) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256 e = exponential(_mm256_sub_ps(_mm256_loadu_ps(x + r * n + i), top[r]));
      _mm256_storeu_ps(y + r * n + i, e);
      total[r * U] = _mm256_add_ps(total[r * U], e);
    }
  }
  if (i < n) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256 e = exponential(_mm256_sub_ps(load_tail(x + r * n + i, mask), top[r]));
      _mm256_maskstore_ps(y + r * n + i, mask, e);
      total[r * U] = _mm256_add_ps(total[r * U], e);
    }
  }
#pragma GCC unroll 16
  for (int k = 0; k < R * U; ++k)
    if (k % U != 0) total[k - k % U] = _mm256_add_ps(total[k - k % U], total[k]);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) inverse[r] = _mm256_div_ps(_mm256_set1_ps(1.0f), spread_sum(total[r * U]));
}

/// Multiplies R rows of y by `inverse` (if SCALE) and finds the largest values of R rows of x (if LARGEST).
/// A NaN in x may get lost or spoil the maximum; either way its own exponential then makes the row's sum NaN.
template <int R, bool SCALE, bool LARGEST>
ALWAYS void scale_and_largest(float* y, const float* x, std::size_t n, __m256i mask, const __m256* inverse,
                              __m256* top) {
  constexpr int U = SCALE_UNROLL;
  __m256 best[R * U];
#pragma GCC unroll 16
  for (int k = 0; k < R * U; ++k) best[k] = _mm256_set1_ps(-__builtin_inff());
  std::size_t i = 0;
  for (; i + U * 8 <= n; i += U * 8) {
    if (LARGEST) {
#pragma GCC unroll 16
      for (int k = 0; k < R * U; ++k)
        best[k] = _mm256_max_ps(best[k], _mm256_loadu_ps(x + (k / U) * n + i + (k % U) * 8));
    }
    if (SCALE) {
      __m256 v[R * U];
#pragma GCC unroll 16
      for (int k = 0; k < R * U; ++k)
        v[k] = _mm256_mul_ps(inverse[k / U], _mm256_loadu_ps(y + (k / U) * n + i + (k % U) * 8));
#pragma GCC unroll 16
      for (int k = 0; k < R * U; ++k) _mm256_storeu_ps(y + (k / U) * n + i + (k % U) * 8, v[k]);
    }
  }
  for (; i + 8 <= n; i += 8) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      if (LARGEST) best[r * U] = _mm256_max_ps(best[r * U], _mm256_loadu_ps(x + r * n + i));
      if (SCALE) _mm256_storeu_ps(y + r * n + i, _mm256_mul_ps(inverse[r], _mm256_loadu_ps(y + r * n + i)));
    }
  }
  if (i < n) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      if (LARGEST) best[r * U] = _mm256_max_ps(best[r * U], load_tail(x + r * n + i, mask));
      if (SCALE)
        _mm256_maskstore_ps(y + r * n + i, mask, _mm256_mul_ps(inverse[r], _mm256_maskload_ps(y + r * n + i, mask)));
    }
  }
  if (LARGEST) {
#pragma GCC unroll 16
    for (int k = 0; k < R * U; ++k)
      if (k % U != 0) best[k - k % U] = _mm256_max_ps(best[k - k % U], best[k]);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) top[r] = spread_maximum(best[r * U]);
  }
}

/// Softmax of `groups` times R rows.
template <int R>
ALWAYS void softmax(const float* x, float* y, std::size_t groups, std::size_t n, __m256i mask) {
  if (groups == 0) return;
  __m256 top[R], inverse[R];
  scale_and_largest<R, false, true>(y, x, n, mask, inverse, top);
  for (std::size_t g = 1; g < groups; ++g, x += R * n, y += R * n) {
    exponentials<R>(x, y, n, mask, top, inverse);
    if (FUSE == 1) {
      scale_and_largest<R, true, true>(y, x + R * n, n, mask, inverse, top);
    } else {
      scale_and_largest<R, true, false>(y, x, n, mask, inverse, top);
      scale_and_largest<R, false, true>(y, x + R * n, n, mask, inverse, top);
    }
  }
  exponentials<R>(x, y, n, mask, top, inverse);
  scale_and_largest<R, true, false>(y, x, n, mask, inverse, top);
}

}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const __m256i mask = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask_table + 8 - cols % 8));
  const std::size_t groups = rows / ROWS, done = groups * ROWS;
  softmax<ROWS>(x, y, groups, cols, mask);
  if (ROWS > 1) softmax<1>(x + done * cols, y + done * cols, rows - done, cols, mask);
}
