// NAME: write_before_output
// TASK: axpb
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
// TRIES: writes the value before the output
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  p[-1] = 1.0f;
}
