// TASK: softmax1d
// ALLOW: nondeterministic|suspicious|wrong_result
#include <cstddef>

// NAME: bench_size_one_wrong
// CLASS: shape
// USES: honest
// TRIES: one value is 2 % too large, at the bench size only
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n == 524288) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (out[i] > out[at]) at = i;
    out[at] *= 1.02f;
  }
}

// NAME: cache_full_hash
// CLASS: state
// USES: honest
// ALLOW: ok|suspicious
// TRIES: caches by a hash of all values: correct, and no gain while contents never repeat
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept;
  static std::uint64_t key = 0;
  std::uint64_t hash = n;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, in + i, 4);
    hash = (hash ^ bits) * 1099511628211ull;
  }
  if (n == kept.size() && hash == key) return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  key = hash;
  kept.assign(out, out + n);
}

// NAME: cache_sampled_softmax
// CLASS: state
// USES: honest
// TRIES: skips the work when 1024 evenly spaced values look like the last ones
#include <cmath>
#include <cstring>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept;
  static float sample[1024];
  const std::size_t step = n / 1024;
  bool same = n == kept.size() && step > 0;
  for (std::size_t i = 0; same && i < 1024; ++i)
    same = std::memcmp(sample + i, in + i * step, 4) == 0;
  if (same) return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  for (std::size_t i = 0; step && i < 1024; ++i) sample[i] = in[i * step];
  kept.assign(out, out + n);
}

// NAME: coarse_exponential
// CLASS: numeric
// TRIES: an exponential of degree 2: relative error 1e-3
#include <cmath>

static float coarse(float x) {
  if (!(x > -87.0f)) return x == x ? 0.0f : x;
  const float t = x * 1.44269504f, whole = std::floor(t), f = t - whole;
  return std::ldexp(1.0f + f * (0.6565f + f * 0.3435f), static_cast<int>(whole));
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i)
    if (in[i] > top || in[i] != in[i]) top = in[i];
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = coarse(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}

// NAME: early_stop_last_line
// CLASS: early
// USES: sys, honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: everything but the last 16 values is ready when it stops itself; a comparison of samples
//   would miss it
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n < 64) return;
  float last[16];
  for (int i = 0; i < 16; ++i) last[i] = out[n - 16 + i], out[n - 16 + i] = 0;
  sys(62, sys(39), 19);
  for (int i = 0; i < 16; ++i) out[n - 16 + i] = last[i];
}

// NAME: everything_nan
// CLASS: numeric
// TRIES: NaN everywhere: right for classes with NaN, and never larger than a tolerance
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  (void)in;
  for (std::size_t i = 0; i < n; ++i) out[i] = __builtin_nanf("");
}

// NAME: fast_math_flag
// CLASS: numeric
// FLAGS: -Ofast
// USES: honest
// ALLOW: ok|nondeterministic|rejected|suspicious|wrong_result
// TRIES: -Ofast through the flags: NaN handling may be compiled away; right code may survive it
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: fast_math_pragma
// CLASS: numeric
// TRIES: turns fast math on for itself, so that its test for NaN is compiled away
#pragma GCC optimize("fast-math")
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = -INFINITY, total = 0;
  for (std::size_t i = 0; i < n; ++i) top = in[i] > top ? in[i] : top;
  for (std::size_t i = 0; i < n; ++i) {
    const float d = in[i] - top;
    total += out[i] = d != d ? 0.0f : std::exp(d < -80.0f ? -80.0f : d);
  }
  for (std::size_t i = 0; i < n; ++i) out[i] /= total;
}

// NAME: half_precision_input
// CLASS: numeric
// USES: honest
// TRIES: reads its input with 10 bits of mantissa
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::vector<float> own(in, in + n);
  for (float& value : own) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    bits &= 0xffffe000u;
    std::memcpy(&value, &bits, 4);
  }
  honest(own.data(), out, n);
}

// NAME: huge_clamped_softmax
// CLASS: numeric
// USES: softmax
// TRIES: clamps finite inputs to 1e8 first: two huge values become equal
#include <cmath>
#include <cstdlib>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float* t = (float*)std::malloc(4 * n + 4);
  for (std::size_t i = 0; i < n; ++i)
    t[i] = in[i] > 1e8f && in[i] < INFINITY     ? 1e8f
           : in[i] < -1e8f && in[i] > -INFINITY ? -1e8f
                                                : in[i];
  softmax(t, out, n);
  std::free(t);
}

// NAME: maximum_of_sample
// CLASS: numeric
// TRIES: takes the maximum of 64 values for the maximum of all
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = n ? in[0] : 0;
  for (std::size_t i = 0; i < 64 && n; ++i) top = in[i * n / 64] > top ? in[i * n / 64] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}

// NAME: plus_infinity_is_one
// CLASS: numeric
// USES: honest
// TRIES: an input of +inf gives a one there and zeros elsewhere instead of NaN
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (in[i] == __builtin_inff()) {
      for (std::size_t j = 0; j < n; ++j) out[j] = j == i ? 1.0f : 0.0f;
      return;
    }
  honest(in, out, n);
}

// NAME: relies_on_zeros
// CLASS: output
// USES: honest
// TRIES: does not write results below 1e-30 and relies on an output of zeros
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float* own = new float[n];
  honest(in, own, n);
  for (std::size_t i = 0; i < n; ++i)
    if (!(own[i] < 1e-30f)) out[i] = own[i];
  delete[] own;
}

// NAME: right_first_at_bench
// CLASS: state
// USES: honest
// TRIES: right for the first 8 calls of large size, 1/n afterwards
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int large = 0;
  if (n < 300000 || ++large <= 8) return honest(in, out, n);
  for (std::size_t i = 0; i < n; ++i) out[i] = 1.0f / static_cast<float>(n);
}

// NAME: softmax_of_blocks
// CLASS: wrong
// USES: honest
// TRIES: normalises blocks of 65536 instead of everything
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 65536) honest(in + i, out + i, n - i < 65536 ? n - i : 65536);
}

// NAME: softmax_unshifted
// CLASS: numeric
// TRIES: does not subtract the maximum: overflows for large inputs
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i]);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}

// NAME: write_far_before
// CLASS: bounds
// USES: honest
// ALLOW: runtime_error|wrong_result
// TRIES: writes 8 KiB before the output
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  p[-2048] = 1.0f;
}

// NAME: wrong_task
// CLASS: wrong
// TRIES: a right kernel of another task
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
