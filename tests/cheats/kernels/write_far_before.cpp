// NAME: write_far_before
// TASK: softmax1d
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
// TRIES: writes 8 KiB before the output
#include <cmath>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  if (n == 0) return;
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i)
    if (in[i] > top || in[i] != in[i]) top = in[i];
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - top);
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  p[-2048] = 1.0f;
}
