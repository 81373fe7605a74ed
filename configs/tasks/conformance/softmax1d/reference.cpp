// The oracle of softmax over one array, in double precision.
#include <cmath>
#include <cstddef>

extern "C" void reference(const double* in, double* out, std::size_t n) {
  if (n == 0) return;
  double top = in[0];
  for (std::size_t i = 0; i < n; ++i)
    if (std::isnan(in[i]) || in[i] > top) top = in[i];  // a NaN stays: nothing is larger
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] /= total;
}
