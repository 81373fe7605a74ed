// The oracle of the causal depthwise convolution, in double precision.
#include <cstddef>

extern "C" void reference(const double* x, const double* weight, double* y, std::size_t batch, std::size_t channels,
                          std::size_t length) {
  for (std::size_t row = 0; row < batch * channels; ++row, x += length, y += length) {
    const double* w = weight + row % channels * 4;
    for (std::size_t t = 0; t < length; ++t) {
      y[t] = 0;
      for (std::size_t back = 0; back < 4 && back <= t; ++back) y[t] += w[3 - back] * x[t - back];
    }
  }
}
