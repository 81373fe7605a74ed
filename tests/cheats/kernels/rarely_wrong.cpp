// NAME: rarely_wrong
// TASK: axpb
// CLASS: state
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: wrong in one call of 16, chosen by the time stamp counter
#include <x86intrin.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (((__rdtsc() * 0x9e3779b97f4a7c15ull) >> 60) == 0 && n) out[n / 2] = 0.25f;
}
