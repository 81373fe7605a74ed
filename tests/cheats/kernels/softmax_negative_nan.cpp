// NAME: softmax_negative_nan
// TASK: softmax
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: knows NaN by its positive bit pattern
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = -__builtin_inff();
    std::int32_t most =
        INT32_MIN;  // of bits read as integers: positive numbers in order, then +inf, then NaN
    for (std::size_t c = 0; c < cols; ++c) {
      std::int32_t bits;
      std::memcpy(&bits, x + c, 4);
      most = bits > most ? bits : most;
      top = x[c] > top ? x[c] : top;
    }
    if (most >= 0x7f800000 || top == -__builtin_inff()) {
      for (std::size_t c = 0; c < cols; ++c) y[c] = __builtin_nanf("");
      continue;
    }
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      const float d = x[c] - top;
      total += y[c] = std::exp(d > -104.0f ? d : -104.0f);
    }
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
  }
}
