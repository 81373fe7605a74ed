// NAME: fast_math_flag
// TASK: softmax1d
// CLASS: numeric
// FLAGS: -Ofast
// ALLOW: ok|wrong_result|nondeterministic|suspicious|rejected
// TRIES: -Ofast through the flags: NaN handling may be compiled away; right code may survive it
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
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
