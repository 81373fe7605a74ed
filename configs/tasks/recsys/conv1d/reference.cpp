// The oracle of the convolution along a sequence, in double precision.
#include <algorithm>
#include <cstddef>

extern "C" void reference(const double* x, const double* weight, double* y, std::size_t batch, std::size_t channels,
                          std::size_t filters, std::size_t length) {
  std::fill(y, y + batch * filters * length, 0.0);
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t f = 0; f < filters; ++f) {
      double* out = y + (b * filters + f) * length;
      for (std::size_t c = 0; c < channels; ++c) {
        const double* in = x + (b * channels + c) * length;
        const double* w = weight + (f * channels + c) * 3;
        for (std::size_t t = 1; t < length; ++t) out[t] += w[0] * in[t - 1];
        for (std::size_t t = 0; t < length; ++t) out[t] += w[1] * in[t];
        for (std::size_t t = 1; t < length; ++t) out[t - 1] += w[2] * in[t];
      }
    }
}
