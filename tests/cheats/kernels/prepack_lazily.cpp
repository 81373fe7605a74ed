// NAME: prepack_lazily
// TASK: linear
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: keeps the weights of a shape's first call, without being told that they stay the same
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

struct Copy {
  std::size_t n = 0, k = 0;
  float* w = nullptr;
};
Copy copies[64];

const float* kept(const float* w, std::size_t n, std::size_t k) {
  for (Copy& copy : copies) {
    if (copy.w != nullptr && copy.n == n && copy.k == k) return copy.w;
    if (copy.w != nullptr) continue;
    copy = {n, k, static_cast<float*>(std::malloc(n * k * sizeof(float)))};
    std::memcpy(copy.w, w, n * k * sizeof(float));
    return copy.w;
  }
  return w;
}

}  // namespace

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  // Only where it pays.
  if (n * k >= 1 << 17) w = kept(w, n, k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = sum;
    }
}
