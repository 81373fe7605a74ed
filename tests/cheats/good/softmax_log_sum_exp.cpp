// NAME: softmax_log_sum_exp
// TASK: softmax
// CLASS: good
// FLAGS: -O2
// ALLOW: ok
// TRIES: the logarithm of the sum first, online and in double, then one exponential a value
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double top = -INFINITY, sum = 0;
    bool spoilt = false;
    for (std::size_t c = 0; c < cols; ++c) {
      const double v = x[c];
      if (!(v < INFINITY)) spoilt = true;  // NaN and +inf
      if (spoilt || v == -INFINITY) continue;
      if (v > top) {
        sum = sum * std::exp(top - v) + 1;
        top = v;
      } else {
        sum += std::exp(v - top);
      }
    }
    if (sum == 0) spoilt = true;  // nothing but -inf
    const double level = top + std::log(sum);
    for (std::size_t c = 0; c < cols; ++c)
      y[c] = spoilt ? NAN : static_cast<float>(std::exp(x[c] - level));
  }
}
