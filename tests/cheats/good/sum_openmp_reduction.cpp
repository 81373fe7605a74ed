// NAME: sum_openmp_reduction
// TASK: sum1d
// CLASS: good
// FLAGS: -fopenmp -O3
// ALLOW: ok
// TRIES: an OpenMP reduction
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
#pragma omp parallel for reduction(+ : total)
  for (long i = 0; i < static_cast<long>(n); ++i) total += in[i];
  *out = static_cast<float>(total);
}
