// NAME: coarse_exponential
// TASK: softmax1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: an exponential of degree 2: relative error 1e-3
#include <cmath>
#include <cstddef>

static float coarse(float x) {
  if (!(x > -87.0f)) return x == x ? 0.0f : x;
  const float t = x * 1.44269504f, whole = std::floor(t), f = t - whole;
  return std::ldexp(1.0f + f * (0.6565f + f * 0.3435f), static_cast<int>(whole));
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i)
    if (in[i] > top || in[i] != in[i]) top = in[i];
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = coarse(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}
