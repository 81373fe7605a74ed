// The oracle of the 3 x 3 convolution, in double precision.
#include <cstddef>

extern "C" void reference(const double* x, const double* weight, double* y, std::size_t images, std::size_t channels,
                          std::size_t filters, std::size_t height, std::size_t width) {
  const std::size_t plane = height * width;
  for (std::size_t t = 0; t < images * filters * plane; ++t) y[t] = 0;
  for (std::size_t i = 0; i < images; ++i)
    for (std::size_t f = 0; f < filters; ++f)
      for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t p = 0; p < 3; ++p)
          for (std::size_t q = 0; q < 3; ++q) {
            const double factor = weight[((f * channels + c) * 3 + p) * 3 + q];
            const double* in = x + (i * channels + c) * plane;
            double* out = y + (i * filters + f) * plane;
            for (std::size_t h = 0; h < height; ++h) {
              if (h + p < 1 || h + p > height) continue;
              for (std::size_t w = 0; w < width; ++w)
                if (w + q >= 1 && w + q <= width) out[h * width + w] += factor * in[(h + p - 1) * width + w + q - 1];
            }
          }
}
