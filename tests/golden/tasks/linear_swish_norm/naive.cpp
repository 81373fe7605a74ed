// @task linear_swish_norm
// @flags -O3; -march={native,}; -ffast-math?
#include <cmath>
#include <cstddef>

static float dot(const float* a, const float* b, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
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
