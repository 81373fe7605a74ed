// NAME: random_noise
// TASK: axpb
// CLASS: numeric
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: adds noise of 1e-3 drawn from rdrand to one value a call
#include <immintrin.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

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
