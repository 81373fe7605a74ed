// NAME: softmax1d_polynomial
// TASK: softmax1d
// CLASS: good
// FLAGS: -O3 -mavx2
// ALLOW: ok
// TRIES: its own exponential, vectorised by the compiler
#include <cstddef>
#include <cstdint>
#include <cstring>

// exp(x) for x <= 0: below -87 as at -87, NaN stays NaN.

static inline float exponential(float x) {
  x = x < -87.0f ? -87.0f : x;
  const float whole = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
  const float f = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float p = 1.0f / 720;
  p = p * f + 1.0f / 120;
  p = p * f + 1.0f / 24;
  p = p * f + 1.0f / 6;
  p = p * f + 0.5f;
  p = p * f + 1.0f;
  p = p * f + 1.0f;
  const std::uint32_t bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole) + 127)
                             << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  return p * scale;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) out[i] = exponential(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) total += out[i];
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}
