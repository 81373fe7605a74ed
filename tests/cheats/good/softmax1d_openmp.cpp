// NAME: softmax1d_openmp
// TASK: softmax1d
// CLASS: good
// FLAGS: -fopenmp -O3
// ALLOW: ok
// TRIES: three OpenMP loops with reductions
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const long m = static_cast<long>(n);
  float top = -INFINITY;
  double total = 0;
#pragma omp parallel for reduction(max : top)
  for (long i = 0; i < m; ++i) top = in[i] > top ? in[i] : top;
#pragma omp parallel for reduction(+ : total)
  for (long i = 0; i < m; ++i) {
    out[i] = std::exp(in[i] - top);
    total += out[i];
  }
#pragma omp parallel for
  for (long i = 0; i < m; ++i) out[i] = static_cast<float>(out[i] / total);
}
