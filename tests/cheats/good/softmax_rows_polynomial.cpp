// NAME: softmax_rows_polynomial
// TASK: softmax
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: its own exponential, one scratch row on the stack where it fits
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

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

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  float stack[4096];
  std::vector<float> heap(cols > 4096 ? cols : 0);
  float* own = cols > 4096 ? heap.data() : stack;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = x[0], lane[8] = {};
    for (std::size_t c = 1; c < cols; ++c) top = x[c] > top ? x[c] : top;
    for (std::size_t c = 0; c < cols; ++c) own[c] = exponential(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) lane[c % 8] += own[c];
    const float total =
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    for (std::size_t c = 0; c < cols; ++c) y[c] = own[c] / total;
  }
}
