// NAME: openmp_race
// TASK: sum1d
// CLASS: numeric
// FLAGS: -fopenmp
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: adds up in a shared variable without protection: wrong with two threads, right with the
//   one declared
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static double total;
  total = 0;
#pragma omp parallel for num_threads(2)
  for (long i = 0; i < static_cast<long>(n); ++i) total = total + in[i];
  out[0] = static_cast<float>(total);
}
