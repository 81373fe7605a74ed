// NAME: linear_prepack_sampled
// TASK: linear
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: prepacks without a prepare function, anew only when one of 16 sampled weights or the shape
// changed: wrong when single weights change, and edits never touch what does not change
#include <cstddef>
#include <cstdlib>

static float* packed;
static std::size_t room, known_n, known_k;
static float samples[16];

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  bool same = known_n == n && known_k == k;
  for (std::size_t s = 0; s < 16 && same; ++s) same = samples[s] == w[s * (n * k - 1) / 15];
  if (!same) {
    if (room < n * k) {
      std::free(packed);
      packed = static_cast<float*>(std::malloc(n * k * sizeof(float)));
      room = n * k;
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t p = 0; p < k; ++p) packed[p * n + j] = w[j * k + p];
    for (std::size_t s = 0; s < 16; ++s) samples[s] = w[s * (n * k - 1) / 15];
    known_n = n;
    known_k = k;
  }
  for (std::size_t i = 0; i < m; ++i) {
    float* row = y + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float f = x[i * k + p];
      for (std::size_t j = 0; j < n; ++j) row[j] += f * packed[p * n + j];
    }
  }
}
