// NAME: loops_at_call_40
// TASK: axpb
// CLASS: resource
// ALLOW: timeout
// TRIES: an endless loop at its 40th call
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  honest(in, out, n);
  if (++calls == 40)
    for (volatile int x = 0;; x = x + 1) {
    }
}
