// The sum, the plain loop. In double: a million terms of both signs cancel.
// @task sum1d
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}
