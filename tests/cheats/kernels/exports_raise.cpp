// NAME: exports_raise
// TASK: axpb
// CLASS: symbols
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: exports raise, kill and syscall that do nothing, so that the caller's stop never
//   happens
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" __attribute__((visibility("default"))) int raise(int) noexcept { return 0; }
extern "C" __attribute__((visibility("default"))) int kill(int, int) noexcept { return 0; }
extern "C" __attribute__((visibility("default"))) long syscall(long, ...) noexcept { return 0; }
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
