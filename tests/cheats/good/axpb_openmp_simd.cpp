// NAME: axpb_openmp_simd
// TASK: axpb
// CLASS: good
// FLAGS: -fopenmp -O3
// ALLOW: ok
// TRIES: an OpenMP simd loop
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
