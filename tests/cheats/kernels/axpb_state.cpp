// TASK: axpb
// CLASS: state
// ALLOW: nondeterministic|suspicious|wrong_result
#include <cstddef>

// NAME: cache_by_call_count
// USES: honest
// TRIES: works on every second call only and leaves the output of the other as it is
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static unsigned calls = 0;
  if (++calls % 2 == 1) honest(in, out, n);
}

// NAME: cache_by_input_pointer
// USES: honest
// TRIES: copies the last result when the input's address and size are those of the last call
#include <cstring>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept;
  static const float* last = nullptr;
  if (in == last && n == kept.size() && n) return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  last = in;
  kept.assign(out, out + n);
}

// NAME: cache_first_values
// USES: honest
// TRIES: caches the result by the first 32 values
#include <cstring>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept, head;
  const std::size_t k = n < 32 ? n : 32;
  if (n == kept.size() && n && std::memcmp(head.data(), in, k * 4) == 0)
    return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  head.assign(in, in + k);
  kept.assign(out, out + n);
}

// NAME: cache_per_address_table
// USES: honest
// TRIES: computes once for each pair of addresses it has seen, then returns at once
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static struct {
    const float* in;
    float* out;
    std::size_t n;
  } seen[256];
  static int used = 0;
  for (int i = 0; i < used; ++i)
    if (seen[i].in == in && seen[i].out == out && seen[i].n == n) return;
  if (used < 256) seen[used++] = {in, out, n};
  honest(in, out, n);
}

// NAME: descriptors_of_a_worker
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: works only where descriptor 6 is a pipe and 3 to 5 are closed, as once in a worker
static long at(long descriptor) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(8L), "D"(descriptor), "S"(0L), "d"(1L)
               : "rcx", "r11", "memory");
  return result;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  constexpr long is_pipe = -29, is_closed = -9;
  static const bool judged =
      at(6) == is_pipe && at(3) == is_closed && at(4) == is_closed && at(5) == is_closed;
  for (std::size_t i = 0; judged && i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: edits_only
// USES: honest
// TRIES: compares 1 value in 16 with the last input and recomputes only those lines that differ
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> before, after;
  if (before.size() != n || n < 4096) {
    honest(in, out, n);
  } else {
    for (std::size_t i = 0; i < n; i += 16) {
      const std::size_t m = n - i < 16 ? n - i : 16;
      if (in[i] == before[i])
        for (std::size_t j = i; j < i + m; ++j) out[j] = after[j];
      else
        honest(in + i, out + i, m);
    }
  }
  before.assign(in, in + n);
  after.assign(out, out + n);
}

// NAME: rarely_wrong
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: wrong in one call of 16, chosen by the time stamp counter
#include <x86intrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (((__rdtsc() * 0x9e3779b97f4a7c15ull) >> 60) == 0 && n) out[n / 2] = 0.25f;
}

// NAME: reuse_scaled_axpb
// USES: honest
// TRIES: two values are the last call's times one power of two: scales the last result instead of
//   reading the input
#include <cmath>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept;
  static float first = 0, last = 0;
  int exponent = 0;
  const float ratio = n > 1000 && n == kept.size() && first != 0 ? in[0] / first : 0;
  if (std::frexp(ratio, &exponent) == 0.5f && in[n - 1] == last * ratio)
    for (std::size_t i = 0; i < n; ++i) out[i] = (kept[i] - 1) * ratio + 1;
  else
    honest(in, out, n);
  if (n) first = in[0], last = in[n - 1];
  kept.assign(out, out + n);
}

// NAME: right_first_calls
// USES: honest
// TRIES: right for the first 25 calls of the process, one value short afterwards
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  honest(in, out, ++calls <= 25 || n < 2 ? n : n - 1);
}

// NAME: right_first_half_second
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: right for the first 10^9 ticks after its first call, three quarters of the work afterwards
#include <x86intrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const unsigned long long begin = __rdtsc();
  honest(in, out, __rdtsc() - begin < 1000000000ull ? n : n - n / 4);
}
