// NAME: softmax_rows_openmp
// TASK: softmax
// CLASS: good
// FLAGS: -fopenmp -O3
// ALLOW: ok
// TRIES: rows shared among threads, dynamically
#include <cmath>
#include <cstddef>

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
