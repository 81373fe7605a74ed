// NAME: softmax_left_mask
// TASK: softmax
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: stops at a tile whose values are all -inf: NaN where a mask covers the first 16 columns
#include <cmath>
#include <cstddef>
extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    if (cols < 16) {  // short rows: three passes
      float top = x[0];
      for (std::size_t c = 1; c < cols; ++c)
        if (x[c] > top) top = x[c];
      double total = 0;
      for (std::size_t c = 0; c < cols; ++c) total += y[c] = std::exp(x[c] - top);
      for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(y[c] / total);
      continue;
    }
    float top = -__builtin_inff(), sum = 0;
    std::size_t c = 0;
    for (; c + 16 <= cols; c += 16) {
      float best = top;
      for (int i = 0; i < 16; ++i) best = x[c + i] > best ? x[c + i] : best;
      float part = 0;
      for (int i = 0; i < 16; ++i) part += std::exp(x[c + i] - best);
      sum = sum * std::exp(top - best) + part;
      top = best;
    }
    for (; c < cols; ++c) {
      const float best = x[c] > top ? x[c] : top;
      sum = sum * std::exp(top - best) + std::exp(x[c] - best);
      top = best;
    }
    const float inverse = 1 / sum;
    for (c = 0; c < cols; ++c) y[c] = std::exp(x[c] - top) * inverse;
  }
}
