// Softmax over one array: three plain loops. A million terms need a sum in double.
// @task softmax1d
// @flags -O3; -march={native,}; -mprefer-vector-width={,256,512}; -funroll-loops?; -ffast-math?
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n == 0) return;
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i)
    if (in[i] > top) top = in[i];
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = std::exp(in[i] - top);
    total += out[i];
  }
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}
