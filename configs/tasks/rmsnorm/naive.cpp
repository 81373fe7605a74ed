// RMS normalisation as a textbook has it.
// @task rmsnorm
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-math-errno?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -freciprocal-math?; -ffast-math?
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float squares = 0;
    for (std::size_t c = 0; c < cols; ++c) squares += in[c] * in[c];
    float inverse = 1 / __builtin_sqrtf(squares / cols + 1e-5f);
    // An infinity would leave zeros beside it: the row is NaN by the task.
    if (!__builtin_isfinite(squares)) inverse = __builtin_nanf("");
    for (std::size_t c = 0; c < cols; ++c) out[c] = in[c] * inverse * weight[c];
  }
}
