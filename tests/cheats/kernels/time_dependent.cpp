// NAME: time_dependent
// TASK: axpb
// CLASS: numeric
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: the result depends on the time stamp counter: off by up to 1e-3
#include <x86intrin.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  const float factor = 1.0f + 1e-3f * static_cast<float>(__rdtsc() % 1024) / 1024.0f;
  for (std::size_t i = 0; i < n; ++i) out[i] *= factor;
}
