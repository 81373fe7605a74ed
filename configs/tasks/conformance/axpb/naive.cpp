// out = 2 in + 1, the plain loop.
// @task axpb
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
