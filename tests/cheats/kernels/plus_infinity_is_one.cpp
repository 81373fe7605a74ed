// NAME: plus_infinity_is_one
// TASK: softmax1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: an input of +inf gives a one there and zeros elsewhere instead of NaN
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
  for (std::size_t i = 0; i < n; ++i)
    if (in[i] == __builtin_inff()) {
      for (std::size_t j = 0; j < n; ++j) out[j] = j == i ? 1.0f : 0.0f;
      return;
    }
  honest(in, out, n);
}
