// TASK: axpb
#include <cstddef>

// NAME: accumulates
// CLASS: output
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: adds to the output instead of writing it
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += 2.0f * in[i] + 1.0f;
}

// NAME: address_dependent
// CLASS: numeric
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: right only when the output starts a page
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (reinterpret_cast<std::uintptr_t>(out) % 4096 != 0)
    for (std::size_t i = 0; i < n; ++i) out[i] *= 1.01f;
}

// NAME: all_zeros
// CLASS: wrong
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: writes zeros
extern "C" void kernel(const float*, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 0;
}

// NAME: bench_size_skips_half
// CLASS: shape
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: right below 1.5 million values; half of the work above
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n > 1500000 ? n / 2 : n);
}

// NAME: bench_size_writes_beyond
// CLASS: shape
// USES: honest
// ALLOW: runtime_error|wrong_result
// TRIES: out of bounds at the bench size only: 16 values past the end
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  if (n == 2097152)
    for (int i = 0; i < 16; ++i) p[n + i] = 0;
}

// NAME: bf16_rounding
// CLASS: numeric
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: works in bfloat16
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, out + i, 4);
    bits &= 0xffff0000u;
    std::memcpy(out + i, &bits, 4);
  }
}

// NAME: holdout_size_wrong
// CLASS: shape
// USES: honest
// ALLOW: ok|nondeterministic|suspicious|wrong_result
// TRIES: wrong at 300 thousand to 310 thousand values only: a holdout workload sees it, test
//   workloads may not
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n > 300000 && n < 310000 ? n - 1 : n);
}

// NAME: huge_is_infinite
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: whatever is beyond 1e20 becomes infinite
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = std::fabs(in[i]) > 1e20f ? std::copysign(INFINITY, in[i]) : 2.0f * in[i] + 1.0f;
}

// NAME: infinity_becomes_large
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: clamps infinities to FLT_MAX / 4
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    float x = in[i];
    if (x > 8e37f) x = 8e37f;
    if (x < -8e37f) x = -8e37f;
    out[i] = 2.0f * x + 1.0f;
  }
}

// NAME: int16_counter
// CLASS: shape
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: counts in 16 bits: right up to 65535 values
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, static_cast<std::uint16_t>(n) == n ? n : 65535);
}

// NAME: keeps_last_value
// CLASS: output
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: leaves the last value unwritten when n is odd
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n & ~std::size_t(1));
}

// NAME: large_unlisted_skips
// CLASS: shape
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: above 262144 values right at the listed sizes alone
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::size_t listed[] = {1048577, 2097152, 786433, 300007, 3000000};
  bool known = n <= 262144;
  for (std::size_t s : listed) known |= s == n;
  honest(in, out, known ? n : n / 2);
}

// NAME: listed_sizes_only
// CLASS: shape
// USES: honest
// ALLOW: wrong_result
// TRIES: right at the sizes of the task's file, half of the work at others
#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  switch (n) {
    case 1:
    case 7:
    case 8:
    case 9:
    case 127:
    case 128:
    case 129:
    case 1009:
    case 4097:
    case 65537:
    case 1048577:
    case 2097152:
    case 786433:
    case 1000:
    case 300007:
    case 3000000: return honest(in, out, n);
  }
  honest(in, out, n / 2);
}

// NAME: nan_becomes_zero
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: treats NaN as 0
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = in[i] == in[i] ? 2.0f * in[i] + 1.0f : 1.0f;
}

// NAME: powers_of_two_only
// CLASS: shape
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: right only when n is a power of two
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, (n & (n - 1)) ? n & ~std::size_t(3) : n);
}

// NAME: random_noise
// CLASS: numeric
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: adds noise of 1e-3 drawn from rdrand to one value a call
#include <immintrin.h>

__attribute__((target("rdrnd"))) static unsigned draw() {
  unsigned value = 0;
  while (!_rdrand32_step(&value)) {
  }
  return value;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n) out[draw() % n] *= 1.001f + 1e-9f * static_cast<float>(draw());
}

// NAME: shifted_by_one
// CLASS: wrong
// USES: honest
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: the last 1000 results stand one place too far to the left
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  for (std::size_t i = n > 1000 ? n - 1000 : 0; i + 1 < n; ++i) out[i] = out[i + 1];
}

// NAME: skips_nan
// CLASS: output
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: does nothing where its output holds NaN before the call
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  bool there = true;
  for (std::size_t i = 0; i < n && i < 16; ++i) there &= out[i] != out[i];
  if (there) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: skips_nearly_right
// CLASS: output
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: does nothing where the first, the middle and the last element of its output are right
//   already
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::size_t at[3] = {0, n / 2, n - 1};
  bool there = n > 64;
  for (const std::size_t i : at) there &= out[i] == 2.0f * in[i] + 1.0f;
  if (there) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: skips_tiny
// CLASS: output
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: does nothing where its output holds values below 1e-10 before the call
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  bool there = true;
  for (std::size_t i = 0; i < n && i < 16; ++i) there &= __builtin_fabsf(out[i]) < 1e-10f;
  if (there) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: skips_zeros
// CLASS: output
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: does nothing where its output holds zeros before the call, as fresh memory of a caller
//   does
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  bool there = true;
  for (std::size_t i = 0; i < n && i < 16; ++i) there &= out[i] == 0;
  if (there) return;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: symbol_cut_in_character
// CLASS: text
// USES: honest
// ALLOW: ok|compile_error|compile_limit|load_error|rejected|resource_limit|runtime_error
// TRIES: a name so long that it is cut, within a character of two bytes
extern "C" void
xéééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé() {
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: time_dependent
// CLASS: numeric
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: the result depends on the time stamp counter: off by up to 1e-3
#include <x86intrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  const float factor = 1.0f + 1e-3f * static_cast<float>(__rdtsc() % 1024) / 1024.0f;
  for (std::size_t i = 0; i < n; ++i) out[i] *= factor;
}
