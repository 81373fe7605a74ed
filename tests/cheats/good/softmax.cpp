// TASK: softmax
// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: softmax_log_sum_exp
// FLAGS: -O2
// TRIES: the logarithm of the sum first, online and in double, then one exponential a value
#include <cmath>

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

// NAME: softmax_rows_bottom_up
// FLAGS: -O2 -funroll-loops
// TRIES: last row first, each row from its end
#include <cmath>

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

// NAME: softmax_rows_openmp
// FLAGS: -fopenmp -O3
// TRIES: rows shared among threads, dynamically
#include <cmath>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
#pragma omp parallel for schedule(dynamic, 16)
  for (long r = 0; r < static_cast<long>(rows); ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0];
    double total = 0;
    for (std::size_t c = 1; c < cols; ++c) top = in[c] > top ? in[c] : top;
    for (std::size_t c = 0; c < cols; ++c) total += out[c] = std::exp(in[c] - top);
    for (std::size_t c = 0; c < cols; ++c) out[c] = static_cast<float>(out[c] / total);
  }
}

// NAME: softmax_rows_polynomial
// FLAGS: -O3 -march=native
// TRIES: its own exponential, one scratch row on the stack where it fits
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

// NAME: softmax_rows_three_pass
// FLAGS: -O3
// TRIES: three passes a row
#include <cmath>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float top = x[0], total = 0;
    for (std::size_t c = 1; c < cols; ++c) top = std::fmax(top, x[c]);
    for (std::size_t c = 0; c < cols; ++c) total += y[c] = std::exp(x[c] - top);
    for (std::size_t c = 0; c < cols; ++c) y[c] /= total;
  }
}
