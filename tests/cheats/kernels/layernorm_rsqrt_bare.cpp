// NAME: layernorm_rsqrt_bare
// TASK: layernorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: one over the root by the 12-bit instruction, without a Newton step
#include <immintrin.h>
#include <cstddef>

static float bare_root(float x) { return 1 / _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x))); }
// Layer normalisation as a textbook has it: mean, variance, output.
// @task layernorm
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?;
// -fno-math-errno?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?;
// -freciprocal-math?; -ffast-math?

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y,
                       std::size_t rows, std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float mean = 0;
    for (std::size_t c = 0; c < cols; ++c) mean += in[c];
    mean /= cols;
    float variance = 0;
    for (std::size_t c = 0; c < cols; ++c) variance += (in[c] - mean) * (in[c] - mean);
    variance /= cols;
    const float inverse = 1 / bare_root(variance + 1e-5f);
    for (std::size_t c = 0; c < cols; ++c) out[c] = (in[c] - mean) * inverse * weight[c] + bias[c];
  }
}
