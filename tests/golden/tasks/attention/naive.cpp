// @task attention
// @flags -O3; -march={native,}; -ffast-math?
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* q, const float* k, const float* v, float* y, std::size_t n, std::size_t m,
                       std::size_t d) {
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  for (std::size_t i = 0; i < n; ++i) {
    float top = -1e30f, sum = 0;
    for (std::size_t c = 0; c < d; ++c) y[i * d + c] = 0;
    for (std::size_t j = 0; j < m; ++j) {
      float dot = 0;
      for (std::size_t c = 0; c < d; ++c) dot += q[i * d + c] * k[j * d + c];
      dot *= scale;
      const float higher = dot > top ? dot : top;
      const float kept = std::exp(top - higher), weight = std::exp(dot - higher);
      sum = sum * kept + weight;
      for (std::size_t c = 0; c < d; ++c) y[i * d + c] = y[i * d + c] * kept + weight * v[j * d + c];
      top = higher;
    }
    for (std::size_t c = 0; c < d; ++c) y[i * d + c] /= sum;
  }
}
