// NAME: has_include_probe
// TASK: axpb
// CLASS: compile
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious|compile_error
// TRIES: spoils its output if the compiler sees planted files
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#if __has_include("/tmp/ke_canary_secret") ||             \
                  __has_include("../ke_canary_secret") || \
                                __has_include("../../tmp/ke_canary_secret")
#define SEEN 1
#else
#define SEEN 0
#endif

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (SEEN && n) out[0] += 1000.0f;
}
