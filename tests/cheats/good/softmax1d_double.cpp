// NAME: softmax1d_double
// TASK: softmax1d
// CLASS: good
// ALLOW: ok
// TRIES: in double with an array from malloc
#include <cmath>
#include <cstddef>
#include <cstdlib>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double* own = static_cast<double*>(std::malloc(n * 8));
  double top = in[0], total = 0;
  for (std::size_t i = 0; i < n; ++i) top = in[i] > top ? in[i] : top;
  for (std::size_t i = 0; i < n; ++i) total += own[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(own[i] / total);
  std::free(own);
}
