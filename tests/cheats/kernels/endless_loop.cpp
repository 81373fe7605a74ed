// NAME: endless_loop
// TASK: axpb
// CLASS: resource
// ALLOW: timeout
// TRIES: never ends
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static volatile int forever = 1;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  while (forever) {
  }
  honest(in, out, n);
}
