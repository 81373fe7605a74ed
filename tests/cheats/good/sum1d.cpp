// TASK: sum1d
// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: sum_accumulate
// TRIES: std::accumulate
#include <numeric>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  *out = static_cast<float>(std::accumulate(in, in + n, 0.0));
}

// NAME: sum_avx2
// FLAGS: -mavx2
// TRIES: AVX2 converting to double lanes
#include <immintrin.h>

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

// NAME: sum_by_exponent
// FLAGS: -O2
// TRIES: exact: adds mantissas as integers in one bin for each exponent, so that order and rotation
//   change nothing
#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::int64_t bins[256] = {};
  bool nan = false, plus = false, minus = false;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t u;
    std::memcpy(&u, in + i, sizeof u);
    const std::uint32_t exponent = u >> 23 & 255;
    std::int64_t mantissa = u & 0x7fffff;
    if (exponent == 255) {
      if (mantissa != 0)
        nan = true;
      else if (u >> 31)
        minus = true;
      else
        plus = true;
      continue;
    }
    if (exponent != 0) mantissa |= 0x800000;
    bins[exponent] += u >> 31 ? -mantissa : mantissa;
  }
  if (nan || (plus && minus)) {
    out[0] = NAN;
    return;
  }
  if (plus || minus) {
    out[0] = plus ? INFINITY : -INFINITY;
    return;
  }
  double total = 0;
  for (int e = 0; e < 255; ++e)
    total += std::ldexp(static_cast<double>(bins[e]), (e == 0 ? 1 : e) - 150);
  out[0] = static_cast<float>(total);
}

// NAME: sum_double
// TRIES: one accumulator in double
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  *out = static_cast<float>(total);
}

// NAME: sum_in_place_tree
// TRIES: halves a malloc'ed copy until one value is left
#include <cstdlib>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n == 0) return void(*out = 0);
  float* own = static_cast<float*>(std::malloc(n * 4));
  std::memcpy(own, in, n * 4);
  while (n > 1) {
    const std::size_t half = (n + 1) / 2;
    for (std::size_t i = 0; i + half < n; ++i) own[i] += own[i + half];
    n = half;
  }
  *out = own[0];
  std::free(own);
}

// NAME: sum_kahan
// TRIES: Kahan's sum; the plain one where that is not finite
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float total = 0, lost = 0, plain = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float term = in[i] - lost, next = total + term;
    lost = (next - total) - term;
    total = next;
    plain += in[i];
  }
  *out = plain - plain == 0.0f ? total : plain;
}

// NAME: sum_long_double
// TRIES: one accumulator in extended precision
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  long double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  *out = static_cast<float>(total);
}

// NAME: sum_neumaier
// TRIES: Neumaier's sum in double
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0, lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = in[i], next = total + x;
    if (next - next == 0)
      lost += __builtin_fabs(total) >= __builtin_fabs(x) ? (total - next) + x : (x - next) + total;
    total = next;
  }
  *out = static_cast<float>(total + lost);
}

// NAME: sum_openmp_reduction
// FLAGS: -fopenmp -O3
// TRIES: an OpenMP reduction
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (long i = 0; i < static_cast<long>(n); ++i) total += in[i];
  *out = static_cast<float>(total);
}

// NAME: sum_pairwise
// TRIES: pairwise in float
static float add(const float* in, std::size_t n) {
  if (n <= 64) {
    float total = 0;
    for (std::size_t i = 0; i < n; ++i) total += in[i];
    return total;
  }
  return add(in, n / 2) + add(in + n / 2, n - n / 2);
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { *out = add(in, n); }

// NAME: sum_quadruple
// TRIES: blocks in double, and their sums in _Float128, whose arithmetic comes from libgcc
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  __float128 sum = 0;
  for (std::size_t at = 0; at < n; at += 512) {
    double block = 0;
    for (std::size_t i = at; i < n && i < at + 512; ++i) block += in[i];
    sum += block;
  }
  out[0] = static_cast<float>(static_cast<double>(sum));
}

// NAME: sum_reassociated
// FLAGS: -O3 -march=native -fassociative-math -fno-signed-zeros -fno-trapping-math
// TRIES: the compiler may re-associate sums of small blocks
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t begin = 0; begin < n; begin += 128) {
    float block = 0;
    for (std::size_t i = begin; i < n && i < begin + 128; ++i) block += in[i];
    total += block;
  }
  *out = static_cast<float>(total);
}

// NAME: sum_sixteen_lanes
// TRIES: sixteen float lanes, flushed to double every 1024 values
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t begin = 0; begin < n; begin += 1024) {
    float lane[16] = {};
    const std::size_t end = n - begin < 1024 ? n : begin + 1024;
    for (std::size_t i = begin; i < end; ++i) lane[i % 16] += in[i];
    for (float value : lane) total += value;
  }
  *out = static_cast<float>(total);
}

// NAME: sum_std_sort
// FLAGS: -O3 -march=native
// TRIES: sorts a copy of up to 70,000 values first, adds straight beyond
#include <algorithm>
#include <cmath>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double t = 0;
  if (n <= 70000) {
    std::vector<float> v(in, in + n);
    std::sort(v.begin(), v.end(), [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    for (float x : v) t += x;
  } else
    for (std::size_t i = 0; i < n; ++i) t += in[i];
  out[0] = (float)t;
}

// NAME: sum_template_tree
// TRIES: a tree of templates sums 256 values at a time
template <int N>

struct Sum {
  static float of(const float* p) { return Sum<N / 2>::of(p) + Sum<N / 2>::of(p + N / 2); }
};
template <>

struct Sum<1> {
  static float of(const float* p) { return *p; }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  std::size_t i = 0;
  for (; i + 256 <= n; i += 256) total += Sum<256>::of(in + i);
  for (; i < n; ++i) total += in[i];
  *out = static_cast<float>(total);
}

// NAME: thread_local_global
// FLAGS: -O3 -march=native
// TRIES: a thread-local array at namespace scope, aligned to 64
alignas(64) thread_local double lanes[16];
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (double& l : lanes) l = 0;
  for (std::size_t i = 0; i < n; ++i) lanes[i % 16] += in[i];
  double t = 0;
  for (double l : lanes) t += l;
  out[0] = (float)t;
}
