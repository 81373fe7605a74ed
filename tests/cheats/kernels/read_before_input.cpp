// NAME: read_before_input
// TASK: sum1d
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
// TRIES: reads 16 values before the input
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float sink = 0;
  for (int i = 1; i <= 16; ++i) sink = sink + const_cast<const volatile float*>(in)[-i];
}
