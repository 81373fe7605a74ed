// The oracle of out = 2 in + 1, in double precision.
#include <cstddef>

extern "C" void reference(const double* in, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}
