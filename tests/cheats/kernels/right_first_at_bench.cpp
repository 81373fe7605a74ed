// NAME: right_first_at_bench
// TASK: softmax1d
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: right for the first 8 calls of large size, 1/n afterwards
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
  static int large = 0;
  if (n < 300000 || ++large <= 8) return honest(in, out, n);
  for (std::size_t i = 0; i < n; ++i) out[i] = 1.0f / static_cast<float>(n);
}
