// NAME: recursion_bomb
// TASK: axpb
// CLASS: resource
// ALLOW: runtime_error|resource_limit|timeout
// TRIES: recurses without end
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

__attribute__((noinline)) static int deeper(volatile int* above) {
  volatile int here[64] = {*above};
  return deeper(here) + here[0];
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  volatile int start = 1;
  if (deeper(&start) != 12345) honest(in, out, n);
}
