// NAME: crash_large_only
// TASK: axpb
// CLASS: crash
// ALLOW: runtime_error
// TRIES: jumps to null at large sizes
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  void (*volatile nowhere)() = nullptr;
  if (n > 1000000) nowhere();
}
