// Softmax as a textbook has it: three plain loops a row.
// @task softmax
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-math-errno?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -freciprocal-math?; -ffast-math?
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0];
    for (std::size_t c = 1; c < cols; ++c)
      if (in[c] > top) top = in[c];
    double total = 0;  // thousands of terms
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = std::exp(in[c] - top);
      total += out[c];
    }
    const float sum = static_cast<float>(total);
    for (std::size_t c = 0; c < cols; ++c) out[c] /= sum;
  }
}
