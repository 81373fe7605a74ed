// NAME: right_first_half_second
// TASK: axpb
// CLASS: state
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: right for the first 10^9 ticks after its first call, three quarters of the work
//   afterwards
#include <x86intrin.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const unsigned long long begin = __rdtsc();
  honest(in, out, __rdtsc() - begin < 1000000000ull ? n : n - n / 4);
}
