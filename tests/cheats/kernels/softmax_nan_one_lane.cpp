// NAME: softmax_nan_one_lane
// TASK: softmax
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: loses a NaN in column 7 of one row of 64, in rows of a thousand values: one lane of one
// block
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0];
    for (std::size_t c = 1; c < cols; ++c)
      if (in[c] > top) top = in[c];
    for (std::size_t c = 0; c < cols; ++c) out[c] = expf(in[c] - top);
    if (cols >= 1000 && r % 64 == 5 && in[7] != in[7]) out[7] = 0;  // the hole
    double total = 0;
    for (std::size_t c = 0; c < cols; ++c) total += out[c];
    const float inverse = static_cast<float>(1 / total);
    for (std::size_t c = 0; c < cols; ++c) out[c] *= inverse;
  }
}
