// TASK: softmax1d
// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: extern_c_helpers
// FLAGS: -O3 -march=native
// TRIES: everything within one extern "C" block
#include <cmath>

extern "C" {
float largest_of(const float* x, std::size_t n) {
  float t = -INFINITY;
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != x[i]) return NAN;
    if (x[i] > t) t = x[i];
  }
  return t;
}
void kernel(const float* in, float* out, std::size_t n) {
  const float top = largest_of(in, n);
  double s = 0;
  for (std::size_t i = 0; i < n; ++i) s += out[i] = expf(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = (float)(out[i] / s);
}
}

// NAME: softmax1d_any_shift
// TRIES: subtracts a shift near the maximum (its integer part) instead of the maximum
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  const float shift = std::floor(top);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - shift);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}

// NAME: softmax1d_double
// TRIES: in double with an array from malloc
#include <cmath>
#include <cstdlib>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double* own = static_cast<double*>(std::malloc(n * 8));
  double top = in[0], total = 0;
  for (std::size_t i = 0; i < n; ++i) top = in[i] > top ? in[i] : top;
  for (std::size_t i = 0; i < n; ++i) total += own[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(own[i] / total);
  std::free(own);
}

// NAME: softmax1d_exp2_table
// TRIES: an exponential from a table of 32 powers built at the first call
#include <cmath>

struct Powers {
  double value[32];
  Powers() {
    for (int i = 0; i < 32; ++i) value[i] = std::exp2(i / 32.0);
  }
};

static float power(double t, const Powers& powers) {
  if (!(t > -140)) return t == t ? 0.0f : static_cast<float>(t);
  const double scaled = std::floor(t * 32);
  const double f = (t - scaled / 32) * 0.693147180559945309;
  const long k = static_cast<long>(scaled);
  return static_cast<float>(std::ldexp(powers.value[k & 31] * (1 + f * (1 + f * (0.5 + f / 6))),
                                       static_cast<int>(k >> 5)));
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const Powers powers;
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    total += out[i] = power((static_cast<double>(in[i]) - top) * 1.44269504088896341, powers);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}

// NAME: softmax1d_flushing
// TRIES: results below FLT_MIN become exactly 0
#include <cfloat>
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float e = std::exp(in[i] - top);
    total += out[i] = e < FLT_MIN ? 0.0f : e;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float y = static_cast<float>(out[i] / total);
    out[i] = y < FLT_MIN ? 0.0f : y;
  }
}

// NAME: softmax1d_libmvec
// FLAGS: -O3 -mavx2 -ffast-math -fno-finite-math-only
// TRIES: fast math that keeps NaN and infinities
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) total += out[i];
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}

// NAME: softmax1d_log_space
// TRIES: exp(x - top - log(sum)) with the exponent in double
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += std::exp(static_cast<double>(in[i]) - top);
  const double shift = std::log(total);  // not added to top, which may be too large to keep it
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<float>(std::exp(static_cast<double>(in[i]) - top - shift));
}

// NAME: softmax1d_online
// TRIES: one pass for maximum and sum with rescaling, one for the output
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = -INFINITY;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (in[i] > top) {
      total *= std::exp(static_cast<double>(top) -
                        in[i]);  // in float the errors of 65,537 rescalings add up
      top = in[i];
    }
    total += in[i] == -INFINITY && top == -INFINITY ? 0.0f : std::exp(in[i] - top);
  }
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] = std::exp(in[i] - top) * inverse;
}

// NAME: softmax1d_openmp
// FLAGS: -fopenmp -O3
// TRIES: three OpenMP loops with reductions
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const long m = static_cast<long>(n);
  float top = -INFINITY;
  double total = 0;
#pragma omp parallel for reduction(max : top)
  for (long i = 0; i < m; ++i) top = in[i] > top ? in[i] : top;
#pragma omp parallel for reduction(+ : total)
  for (long i = 0; i < m; ++i) {
    out[i] = std::exp(in[i] - top);
    total += out[i];
  }
#pragma omp parallel for
  for (long i = 0; i < m; ++i) out[i] = static_cast<float>(out[i] / total);
}

// NAME: softmax1d_polynomial
// FLAGS: -O3 -mavx2
// TRIES: its own exponential, vectorised by the compiler
#include <cstdint>
#include <cstring>

// exp(x) for x <= 0: below -87 as at -87, NaN stays NaN.

static inline float exponential(float x) {
  x = x < -87.0f ? -87.0f : x;
  const float whole = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
  const float f = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float p = 1.0f / 720;
  p = p * f + 1.0f / 120;
  p = p * f + 1.0f / 24;
  p = p * f + 1.0f / 6;
  p = p * f + 0.5f;
  p = p * f + 1.0f;
  p = p * f + 1.0f;
  const std::uint32_t bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole) + 127)
                             << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  return p * scale;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) out[i] = exponential(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) total += out[i];
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}

// NAME: softmax1d_thread_local
// TRIES: scratch that stays with the thread between calls
#include <cmath>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static thread_local std::vector<float> own;
  if (own.size() < n) own.resize(n);
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += own[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(own[i] / total);
}
