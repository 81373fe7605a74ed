// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: conv_padded_planes
// TASK: conv2d
// FLAGS: -O3 -march=native
// TRIES: copies each plane into a frame of zeros first, so that no border is a special case
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

// NAME: conv_winograd_2x2
// TASK: conv2d
// FLAGS: -O3 -march=native
// TRIES: Winograd F(2x2, 3x3)
extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t images,
                       std::size_t channels, std::size_t filters, std::size_t height,
                       std::size_t width) {
  for (std::size_t i = 0; i < images; ++i)
    for (std::size_t f = 0; f < filters; ++f) {
      for (std::size_t h0 = 0; h0 < height; h0 += 2)
        for (std::size_t w0 = 0; w0 < width; w0 += 2) {
          float m[4][4] = {};
          for (std::size_t c = 0; c < channels; ++c) {
            const float* g = weight + (f * channels + c) * 9;
            float t[4][3], u[4][4], d[4][4], e[4][4];
            for (int j = 0; j < 3; ++j) {
              t[0][j] = g[j];
              t[1][j] = (g[j] + g[3 + j] + g[6 + j]) / 2;
              t[2][j] = (g[j] - g[3 + j] + g[6 + j]) / 2;
              t[3][j] = g[6 + j];
            }
            for (int r = 0; r < 4; ++r) {
              u[r][0] = t[r][0];
              u[r][1] = (t[r][0] + t[r][1] + t[r][2]) / 2;
              u[r][2] = (t[r][0] - t[r][1] + t[r][2]) / 2;
              u[r][3] = t[r][2];
            }
            for (int r = 0; r < 4; ++r)
              for (int s = 0; s < 4; ++s) {
                const long a = (long)h0 + r - 1, b = (long)w0 + s - 1;
                d[r][s] = a >= 0 && a < (long)height && b >= 0 && b < (long)width
                              ? x[((i * channels + c) * height + a) * width + b]
                              : 0;
              }
            for (int s = 0; s < 4; ++s) {
              e[0][s] = d[0][s] - d[2][s];
              e[1][s] = d[1][s] + d[2][s];
              e[2][s] = d[2][s] - d[1][s];
              e[3][s] = d[1][s] - d[3][s];
            }
            for (int r = 0; r < 4; ++r) {
              const float v[4] = {e[r][0] - e[r][2], e[r][1] + e[r][2], e[r][2] - e[r][1],
                                  e[r][1] - e[r][3]};
              for (int s = 0; s < 4; ++s) m[r][s] += u[r][s] * v[s];
            }
          }
          float z[2][4];
          for (int s = 0; s < 4; ++s) {
            z[0][s] = m[0][s] + m[1][s] + m[2][s];
            z[1][s] = m[1][s] - m[2][s] - m[3][s];
          }
          for (int r = 0; r < 2; ++r) {
            const float v[2] = {z[r][0] + z[r][1] + z[r][2], z[r][1] - z[r][2] - z[r][3]};
            for (int s = 0; s < 2; ++s)
              if (h0 + r < height && w0 + s < width)
                y[((i * filters + f) * height + h0 + r) * width + w0 + s] = v[s];
          }
        }
    }
}

// NAME: depthwise_scatter
// TASK: depthwise_conv1d
// FLAGS: -O2
// TRIES: from the end, each input given to the four outputs that need it, all of them cleared first
#include <cstring>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t batch,
                       std::size_t channels, std::size_t length) {
  std::memset(y, 0, batch * channels * length * sizeof(float));
  for (std::size_t row = batch * channels; row-- > 0;) {
    const float *in = x + row * length, *w = weight + row % channels * 4;
    float* out = y + row * length;
    for (std::size_t t = length; t-- > 0;)
      for (std::size_t ahead = 0; ahead < 4 && t + ahead < length; ++ahead)
        out[t + ahead] += w[3 - ahead] * in[t];
  }
}
