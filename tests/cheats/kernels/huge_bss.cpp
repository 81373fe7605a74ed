// NAME: huge_bss
// TASK: axpb
// CLASS: resource
// FLAGS: -mcmodel=large
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious|compile_error|compile_limit
// TRIES: 8 GiB of static zeros, touched here and there
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static char zeros[8ull << 30];

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile char* p = zeros;
  p[(n * 4096) % sizeof zeros] = 1;
  if (n) out[0] += 1000.0f;
}
