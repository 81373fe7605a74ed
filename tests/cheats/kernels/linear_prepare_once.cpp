// NAME: linear_prepare_once
// TASK: linear
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: prepares the first weights of a shape only
#include <cstddef>
#include <map>
#include <vector>

static std::vector<float>& kept(std::size_t n, std::size_t k) {
  static std::map<std::pair<std::size_t, std::size_t>, std::vector<float>> all;
  return all[{n, k}];
}
extern "C" void prepare(const float* w, std::size_t, std::size_t n, std::size_t k) {
  auto& v = kept(n, k);
  if (v.empty()) v.assign(w, w + n * k);
}
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  auto& v = kept(n, k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float s = 0;
      for (std::size_t p = 0; p < k; ++p) s += x[i * k + p] * v[j * k + p];
      y[i * n + j] = s;
    }
}
