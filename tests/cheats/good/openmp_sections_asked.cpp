// NAME: openmp_sections_asked
// TASK: axpb
// CLASS: good
// FLAGS: -fopenmp -O3
// ALLOW: ok
// TRIES: asks how many processors there are, then sections and ordered loops with what it gets
#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <thread>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const unsigned seen = std::max(1u, std::thread::hardware_concurrency());
  const int wanted = std::min<int>(static_cast<int>(seen), omp_get_max_threads());
  const std::size_t half = n / 2;
#pragma omp parallel sections num_threads(wanted)
  {
#pragma omp section
    for (std::size_t i = 0; i < half; ++i) out[i] = 2.0f * in[i] + 1.0f;
#pragma omp section
    for (std::size_t i = half; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  }
}
