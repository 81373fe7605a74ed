// NAME: conv_padded_planes
// TASK: conv2d
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: copies each plane into a frame of zeros first, so that no border is a special case
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t images,
                       std::size_t channels, std::size_t filters, std::size_t height,
                       std::size_t width) {
  const std::size_t wide = width + 2, plane = height * width, framed = (height + 2) * wide;
  std::vector<float> frames(channels * framed);
  for (std::size_t i = 0; i < images; ++i) {
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t h = 0; h < height; ++h)
        for (std::size_t w = 0; w < width; ++w)
          frames[c * framed + (h + 1) * wide + w + 1] =
              x[((i * channels + c) * height + h) * width + w];
    for (std::size_t f = 0; f < filters; ++f) {
      float* out = y + (i * filters + f) * plane;
      for (std::size_t t = 0; t < plane; ++t) out[t] = 0;
      for (std::size_t c = 0; c < channels; ++c) {
        const float* k = weight + (f * channels + c) * 9;
        for (std::size_t h = 0; h < height; ++h) {
          const float *u = frames.data() + c * framed + h * wide, *v = u + wide, *z = v + wide;
          float* line = out + h * width;
          for (std::size_t w = 0; w < width; ++w)
            line[w] += k[0] * u[w] + k[1] * u[w + 1] + k[2] * u[w + 2] + k[3] * v[w] +
                       k[4] * v[w + 1] + k[5] * v[w + 2] + k[6] * z[w] + k[7] * z[w + 1] +
                       k[8] * z[w + 2];
        }
      }
    }
  }
}
