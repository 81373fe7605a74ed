// NAME: burner_omp
// TASK: axpb
// CLASS: timing
// FLAGS: -fopenmp
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: asks OpenMP for 8 spinning threads although one is declared; spoils its output if it
//   got more than one
#include <omp.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  int most = 1;
#pragma omp parallel num_threads(8) reduction(max : most)
  most = omp_get_num_threads();
  honest(in, out, n);
  if (most > 1 && n) out[0] += 1000.0f;
}
