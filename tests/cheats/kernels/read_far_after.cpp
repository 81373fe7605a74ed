// NAME: read_far_after
// TASK: axpb
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
// TRIES: reads 64 values past the end of the input
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float sink = 0;
  for (int i = 0; i < 64; ++i) sink = sink + const_cast<const volatile float*>(in)[n + i];
}
