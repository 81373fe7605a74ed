// NAME: prepare_computes_ahead
// TASK: linear
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|runtime_error|suspicious|wrong_result
// TRIES: computes the coming answer in prepare, from the samples that lie beside the weights
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

std::ptrdiff_t distance = 0;  // from the weights to the samples, as the last call had it
std::size_t rows = 0;
float* answer = nullptr;
bool ready = false;

void product(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
             std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = sum;
    }
}

}  // namespace

extern "C" void prepare(const float* w, std::size_t m, std::size_t n, std::size_t k) {
  ready = rows == m;
  if (!ready) return;
  std::free(answer);
  answer = static_cast<float*>(std::malloc(m * n * sizeof(float)));
  const auto x = reinterpret_cast<const float*>(reinterpret_cast<const char*>(w) + distance);
  product(x, w, answer, m, n, k);
}

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  distance = reinterpret_cast<const char*>(x) - reinterpret_cast<const char*>(w);
  rows = m;
  if (!ready) return product(x, w, y, m, n, k);
  for (std::size_t i = 0; i < m * n; ++i) y[i] = answer[i];
  ready = false;
}
