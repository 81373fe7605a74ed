// The oracle of the sum, in double precision.
#include <cstddef>

extern "C" void reference(const double* in, double* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = total;
}
