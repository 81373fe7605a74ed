// NAME: exports_memcmp
// TASK: axpb
// CLASS: symbols
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: exports memcmp and bcmp that find everything equal, and works only on half
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" __attribute__((visibility("default"))) int memcmp(const void*, const void*,
                                                             std::size_t) noexcept {
  return 0;
}
extern "C" __attribute__((visibility("default"))) int bcmp(const void*, const void*,
                                                           std::size_t) noexcept {
  return 0;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n / 2); }
