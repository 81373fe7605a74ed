// NAME: softmax_rows_bottom_up
// TASK: softmax
// CLASS: good
// FLAGS: -O2 -funroll-loops
// ALLOW: ok
// TRIES: last row first, each row from its end
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = rows; r-- > 0;) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[cols - 1];
    double total = 0;
    for (std::size_t c = cols; c-- > 0;) top = in[c] > top ? in[c] : top;
    for (std::size_t c = cols; c-- > 0;) total += out[c] = std::exp(in[c] - top);
    for (std::size_t c = cols; c-- > 0;) out[c] = static_cast<float>(out[c] / total);
  }
}
