// NAME: conv_winograd_2x2
// TASK: conv2d
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: Winograd F(2x2, 3x3)
#include <cstddef>

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
