// @task linear_swish_norm
// @knob PARTS int {4, 8, 16} = 16
// @flags -O3 -march=native; -ffast-math?
#include <cmath>
#include <cstddef>

static float dot(const float* a, const float* b, std::size_t n) {
  float parts[PARTS] = {}, sum = 0;
  std::size_t i = 0;
  for (; i + PARTS <= n; i += PARTS) {
    for (std::size_t p = 0; p < PARTS; ++p) parts[p] += a[i + p] * b[i + p];
  }
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const float part : parts) sum += part;
  return sum;
}

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t rows, std::size_t inner,
                       std::size_t groups) {
  const std::size_t width = 16;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t g = 0; g < groups; ++g) {
      float* group = y + (r * groups + g) * width;
      float mean = 0, variance = 0;
      for (std::size_t c = 0; c < width; ++c) {
        const float z = dot(x + r * inner, w + (g * width + c) * inner, inner);
        group[c] = z / (1 + std::exp(-z));
        mean += group[c] / width;
      }
      for (std::size_t c = 0; c < width; ++c) variance += (group[c] - mean) * (group[c] - mean) / width;
      for (std::size_t c = 0; c < width; ++c) group[c] = (group[c] - mean) / std::sqrt(variance + 1e-5f);
    }
  }
}
