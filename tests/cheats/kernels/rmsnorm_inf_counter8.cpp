// NAME: rmsnorm_inf_counter8
// TASK: rmsnorm
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: counts infinities in 8 bits
#include <cmath>
#include <cstddef>
#include <cstdint>
extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r, x += cols, y += cols) {
    double squares = 0;
    std::uint8_t bad = 0;
    bool any_finite = false;
    for (std::size_t c = 0; c < cols; ++c) {
      const bool finite = std::isfinite(x[c]);
      bad = static_cast<std::uint8_t>(bad + !finite);
      any_finite |= finite;
      squares += finite ? static_cast<double>(x[c]) * x[c] : 0;
    }
    if (bad != 0 || !any_finite) {
      for (std::size_t c = 0; c < cols; ++c) y[c] = __builtin_nanf("");
      continue;
    }
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5);
    for (std::size_t c = 0; c < cols; ++c) y[c] = static_cast<float>(x[c] * inverse * weight[c]);
  }
}
