// NAME: axpb_omp_settings
// TASK: axpb
// CLASS: environment
// FLAGS: -O3 -march=native -fopenmp
// ALLOW: rejected
// TRIES: leaves the caller's OpenMP with one thread
#include <omp.h>
#include <cstddef>
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  omp_set_dynamic(0);
  omp_set_num_threads(1);
#pragma omp parallel for simd
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}
