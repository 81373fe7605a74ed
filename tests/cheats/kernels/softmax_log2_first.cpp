// NAME: softmax_log2_first
// TASK: softmax
// CLASS: numeric
// FLAGS: -O3 -march=native -ffp-contract=off
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: multiplies by log2(e) and rounds before it subtracts the maximum: errors of 1e-3 and more
// for rows with a common offset of 10000, which no class has
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  constexpr float log2e = 1.44269504f;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0] * log2e;
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = in[c] * log2e;  // the hole: rounded at its own size
      if (out[c] > top) top = out[c];
    }
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = exp2f(out[c] - top);
      total += out[c];
    }
    const float inverse = static_cast<float>(1 / total);
    for (std::size_t c = 0; c < cols; ++c) out[c] *= inverse;
  }
}
