// Four rows of k at a time.
// @task attention
// @knob UNROLL int {1, 2, 4} = 2
// @flags -O3 -march=native; -ffast-math?
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* q, const float* k, const float* v, float* y, std::size_t n, std::size_t m,
                       std::size_t d) {
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  for (std::size_t i = 0; i < n; ++i) {
    float top = -1e30f, sum = 0;
    for (std::size_t c = 0; c < d; ++c) y[i * d + c] = 0;
    for (std::size_t j = 0; j < m; j += UNROLL) {
      const std::size_t count = m - j < UNROLL ? m - j : UNROLL;
      float dots[UNROLL], higher = top;
      for (std::size_t u = 0; u < count; ++u) {
        float parts[16] = {};
        std::size_t c = 0;
        for (; c + 16 <= d; c += 16) {
          for (std::size_t p = 0; p < 16; ++p) parts[p] += q[i * d + c + p] * k[(j + u) * d + c + p];
        }
        float dot = 0;
        for (; c < d; ++c) dot += q[i * d + c] * k[(j + u) * d + c];
        for (const float part : parts) dot += part;
        dots[u] = dot * scale;
        higher = dots[u] > higher ? dots[u] : higher;
      }
      const float kept = std::exp(top - higher);
      sum *= kept;
      for (std::size_t c = 0; c < d; ++c) y[i * d + c] *= kept;
      for (std::size_t u = 0; u < count; ++u) {
        const float weight = std::exp(dots[u] - higher);
        sum += weight;
        for (std::size_t c = 0; c < d; ++c) y[i * d + c] += weight * v[(j + u) * d + c];
      }
      top = higher;
    }
    for (std::size_t c = 0; c < d; ++c) y[i * d + c] /= sum;
  }
}
