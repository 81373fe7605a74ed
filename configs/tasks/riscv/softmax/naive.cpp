// Softmax as a textbook has it, for chips without a mathematical library.
// @task softmax
// @flags -O3; -ffp-contract={on,off,fast}; -fno-vectorize?; -funroll-loops?; -fassociative-math?; -freciprocal-math?
#include <cstddef>

#include "vector_math.hpp"

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float top = in[0];
    for (std::size_t c = 1; c < cols; ++c)
      if (in[c] > top) top = in[c];
    double total = 0;  // thousands of terms
    for (std::size_t c = 0; c < cols; ++c) {
      out[c] = vm::exp<1>(vm::splat<1>(in[c] - top))[0];
      total += out[c];
    }
    const float sum = static_cast<float>(total);
    for (std::size_t c = 0; c < cols; ++c) out[c] /= sum;
  }
}
