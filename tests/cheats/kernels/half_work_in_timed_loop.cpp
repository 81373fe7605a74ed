// NAME: half_work_in_timed_loop
// TASK: axpb
// CLASS: timing
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: skips half of the work when calls follow each other quickly, as in a timed loop
#include <x86intrin.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static unsigned long long last = 0;
  const bool hurry = __rdtsc() - last < 50000000ull;
  honest(in, out, hurry && n > 1000 ? n / 2 : n);
  last = __rdtsc();
}
