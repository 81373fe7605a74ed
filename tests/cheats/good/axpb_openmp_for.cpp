// NAME: axpb_openmp_for
// TASK: axpb
// CLASS: good
// FLAGS: -fopenmp
// ALLOW: ok
// TRIES: an OpenMP loop with two threads asked for
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
#pragma omp parallel for num_threads(2) schedule(static)
  for (long i = 0; i < static_cast<long>(n); ++i) out[i] = 2.0f * in[i] + 1.0f;
}
