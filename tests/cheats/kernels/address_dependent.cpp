// NAME: address_dependent
// TASK: axpb
// CLASS: numeric
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: right only when the output starts a page
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (reinterpret_cast<std::uintptr_t>(out) % 4096 != 0)
    for (std::size_t i = 0; i < n; ++i) out[i] *= 1.01f;
}
