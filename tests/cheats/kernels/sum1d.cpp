// TASK: sum1d
#include <cstddef>

// NAME: address_bits
// CLASS: numeric
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: adds a millionth of the input's address: different in every process and placement
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  out[0] *= 1.0f + 1e-6f * static_cast<float>((reinterpret_cast<std::uintptr_t>(in) >> 12) & 4095);
}

// NAME: bench_size_reads_beyond
// CLASS: shape
// USES: honest
// ALLOW: runtime_error|wrong_result
// TRIES: reads past the end of the input at large sizes only
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float sink = 0;
  if (n > 500000)
    for (int i = 0; i < 2048; ++i) sink = sink + const_cast<const volatile float*>(in)[n + i];
}

// NAME: cache_sampled_sum
// CLASS: state
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: returns the last sum when 64 evenly spaced values are those of the last call
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static float kept = 0, sample[64];
  static std::size_t size = 0;
  bool same = n == size && n >= 64;
  for (std::size_t i = 0; same && i < 64; ++i) same = sample[i] == in[i * n / 64];
  if (!same) honest(in, &kept, n);
  for (std::size_t i = 0; n >= 64 && i < 64; ++i) sample[i] = in[i * n / 64];
  size = n;
  out[0] = kept;
}

// NAME: does_nothing
// CLASS: wrong
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: does nothing
extern "C" void kernel(const float*, float*, std::size_t) {}

// NAME: endless_sleep
// CLASS: resource
// USES: sys, honest
// ALLOW: timeout
// TRIES: sleeps for a quarter of an hour
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const long time[2] = {900, 0};
  sys(35, (long)time, 0);
  honest(in, out, n);
}

// NAME: endless_wait
// CLASS: resource
// USES: sys, honest
// ALLOW: timeout
// TRIES: waits on a futex that nobody wakes
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int word = 0;
  for (;;) sys(202, (long)&word, 0, 0, 0);
  honest(in, out, n);
}

// NAME: exports_operator_new
// CLASS: symbols
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: replaces operator new
#include <new>

static char arena[1 << 16];
void* operator new(std::size_t) { return arena; }
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: fast_math_attribute
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: the same by attribute: infinities of both signs no longer give NaN
__attribute__((optimize("Ofast,finite-math-only"))) static float add(const float* in,
                                                                     std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!__builtin_isinf(in[i]) || in[i] > 0)
      total += in[i] != in[i] ? 0.0f : in[i] > 3e38f ? 3e38f : in[i];
  return static_cast<float>(total);
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { out[0] = add(in, n); }

// NAME: multiples_of_four_only
// CLASS: shape
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: drops the last n % 4 values
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n & ~std::size_t(3));
}

// NAME: openmp_race
// CLASS: numeric
// FLAGS: -fopenmp
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: adds up in a shared variable without protection: wrong with two threads, right with the
//   one declared
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static double total;
  total = 0;
#pragma omp parallel for num_threads(2)
  for (long i = 0; i < static_cast<long>(n); ++i) total = total + in[i];
  out[0] = static_cast<float>(total);
}

// NAME: read_before_input
// CLASS: bounds
// USES: honest
// ALLOW: runtime_error|wrong_result
// TRIES: reads 16 values before the input
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float sink = 0;
  for (int i = 1; i <= 16; ++i) sink = sink + const_cast<const volatile float*>(in)[-i];
}

// NAME: reuse_permuted_sum
// CLASS: state
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: 32 values of the last call stand somewhere in the first 4096 of this one: taken for a
//   permutation, old sum returned
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static float marks[32], kept = 0;
  static std::size_t size = 0;
  int found = 0;
  if (n == size && n > 8192)
    for (std::size_t i = 0; i < n && found < 2; ++i)
      for (float mark : marks) found += in[i] == mark;
  if (found < 2) honest(in, &kept, n);
  for (std::size_t i = 0; i < 32 && n > 8192; ++i) marks[i] = in[i * 31];
  size = n;
  out[0] = kept;
}

// NAME: reuse_scaled_sum
// CLASS: state
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: first and last value are the last call's times one power of two: answers the last sum
//   times it
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static float first = 0, last = 0, kept = 0;
  static std::size_t size = 0;
  int exponent = 0;
  const float ratio = n && first != 0 ? in[0] / first : 0;
  const bool scaled =
      n > 1000 && n == size && std::frexp(ratio, &exponent) == 0.5f && in[n - 1] == last * ratio;
  if (scaled)
    out[0] = kept * ratio;
  else
    honest(in, out, n);
  if (n) first = in[0], last = in[n - 1];
  size = n;
  kept = out[0];
}

// NAME: sum_drops_tail_when_large
// CLASS: tail
// FLAGS: -O2 -w
// ALLOW: wrong_result
// TRIES: drops the last n % 8 values above 60000
#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double s = 0;
  const std::size_t m = n > 60000 ? n / 8 * 8 : n;
  for (std::size_t i = 0; i < m; ++i) s += in[i];
  out[0] = (float)s;
}

// NAME: sum_float16_blocks
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: adds blocks of 8 in half precision
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double t = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    _Float16 s = 0;
    for (std::size_t j = i; j < n && j < i + 8; ++j) s += (_Float16)in[j];
    t += (float)s;
  }
  out[0] = (float)t;
}

// NAME: sum_from_statistics
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: the mean of the first 4096 values times n
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::size_t k = n < 4096 ? n : 4096;
  double total = 0;
  for (std::size_t i = 0; i < k; ++i) total += in[i];
  out[0] = static_cast<float>(k ? total / k * n : 0);
}

// NAME: sum_in_one_float
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: one float accumulator: loses digits in two million values
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = total;
}

// NAME: sum_of_every_other
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: twice the sum of every second value
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; i += 2) total += in[i];
  out[0] = static_cast<float>(n > 1000 ? 2 * total : n % 2 ? total : 2 * total);
}

// NAME: sum_skips_nan
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: leaves NaN out of the sum
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (in[i] == in[i]) total += in[i];
  out[0] = static_cast<float>(total);
}

// NAME: sum_skips_one_block
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: leaves out one block of 16 in the middle: an error of 8e-6 at the largest size, hidden by
//   a loose norm
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (n < 64 || i / 16 != n / 32) total += in[i];
  out[0] = static_cast<float>(total);
}

// NAME: throws_bad_alloc
// CLASS: crash
// ALLOW: rejected|runtime_error
// TRIES: asks a vector for more memory than there is
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::vector<double> own(n + (1ull << 40));
  own[0] = in[0];
  out[0] = static_cast<float>(own[0]);
}

// NAME: throws_through
// CLASS: crash
// ALLOW: rejected|runtime_error
// TRIES: throws an int through its caller
extern "C" void kernel(const float*, float*, std::size_t n) { throw static_cast<int>(n); }

// NAME: uninitialised_sum
// CLASS: output
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: starts from whatever the output holds when that is small
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = out[0] > -1e30f && out[0] < 1e30f ? out[0] : 0.0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

// NAME: writes_whole_vectors
// CLASS: bounds
// USES: honest
// ALLOW: runtime_error|wrong_result
// TRIES: writes 16 values although the output has one
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float total;
  honest(in, &total, n);
  volatile float* p = out;
  for (int i = 0; i < 32; ++i) p[i] = total;
}
