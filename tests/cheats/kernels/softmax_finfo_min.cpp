// NAME: softmax_finfo_min
// TASK: softmax
// CLASS: numeric
// FLAGS: -O3 -march=native -fwrapv
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: an exponential that fails on the lowest numbers of additive masks
#include <immintrin.h>
#include <cmath>
#include <cstddef>
#include <cstring>
static inline float exp_negative(float d) {  // exp(d) for d <= 0
  const float t = d * 1.44269504088896341f;
  const int n = _mm_cvtss_si32(_mm_set_ss(t));
  const int k = -n;  // positive
  const int shift = k < 126 ? k : 126;
  const float f = std::fma(d, 1.44269504088896341f, -static_cast<float>(n));
  float p = 1.5403530e-4f;
  p = p * f + 1.3333558e-3f;
  p = p * f + 9.6181291e-3f;
  p = p * f + 5.5504109e-2f;
  p = p * f + 2.4022651e-1f;
  p = p * f + 6.9314718e-1f;
  p = p * f + 1.0f;
  const int bits = (127 - shift) << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  if (!(k < 126) || !(d >= -90))
    return std::isnan(d) ? d : k < 0 ? scale : 0.0f;  // "k < 0 cannot be"
  return p * scale;
}
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = x[0];
    for (std::size_t c = 0; c < cols; ++c)
      if (x[c] > top || std::isnan(x[c])) top = x[c];
    if (!std::isfinite(top)) {  // NaN, +inf, or nothing but -inf
      for (std::size_t c = 0; c < cols; ++c) y[c] = __builtin_nanf("");
      continue;
    }
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c)
      total += y[c] = std::isinf(x[c]) ? 0.0f : exp_negative(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
  }
}
