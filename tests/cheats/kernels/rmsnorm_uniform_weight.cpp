// NAME: rmsnorm_uniform_weight
// TASK: rmsnorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: takes equal weights for weights of 1
#include <cmath>
#include <cstddef>
extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  bool uniform = cols > 4;
  for (std::size_t c = 1; c < cols && uniform; ++c) uniform = weight[c] == weight[0];
  if (uniform && weight[0] == 0) uniform = false;
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double squares = 0;
    for (std::size_t c = 0; c < cols; ++c) squares += static_cast<double>(x[c]) * x[c];
    const double inverse = std::isfinite(squares)
                               ? 1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5)
                               : __builtin_nan("");
    if (uniform)
      for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse);
    else
      for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse * weight[c]);
  }
}
