// NAME: axpb_openmp_tasks
// TASK: axpb
// CLASS: good
// FLAGS: -fopenmp
// ALLOW: ok
// TRIES: OpenMP tasks of 64 Ki values
#include <algorithm>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
#pragma omp parallel
#pragma omp single
  for (std::size_t begin = 0; begin < n; begin += 65536) {
#pragma omp task firstprivate(begin)
    for (std::size_t i = begin; i < std::min(n, begin + 65536); ++i) out[i] = 2.0f * in[i] + 1.0f;
  }
}
