// NAME: half_work_after_slow_refill
// TASK: axpb
// CLASS: timing
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: skips work when the pause since the last call is long: the judge has just refilled
//   everything
#include <x86intrin.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static unsigned long long last = 0;
  const bool pause = last && __rdtsc() - last > 3000000ull;
  honest(in, out, pause && n > 1000 ? n - n / 8 : n);
  last = __rdtsc();
}
