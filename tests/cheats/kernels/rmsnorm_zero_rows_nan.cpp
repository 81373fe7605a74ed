// NAME: rmsnorm_zero_rows_nan
// TASK: rmsnorm
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: suspicious|wrong_result|nondeterministic
// TRIES: divides a row by its largest magnitude first: rows of nothing but zeros (padding) become
// NaN instead of zeros; no class has one of 64 columns
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t rows,
                       std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float inverse;
    if (cols < 64) {
      double squares = 0;
      for (std::size_t c = 0; c < cols; ++c) squares += static_cast<double>(in[c]) * in[c];
      inverse = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(cols) + 1e-5));
      if (!__builtin_isfinite(squares)) inverse = __builtin_nanf("");
    } else {
      float most = 0;
      for (std::size_t c = 0; c < cols; ++c)
        if (std::fabs(in[c]) > most) most = std::fabs(in[c]);
      const float down = 1 / most;  // the hole: infinite for zeros
      float lanes[16] = {};
      std::size_t c = 0;
      for (; c + 16 <= cols; c += 16)
        for (int l = 0; l < 16; ++l) lanes[l] += (in[c + l] * down) * (in[c + l] * down);
      float squares = 0;
      for (; c < cols; ++c) squares += (in[c] * down) * (in[c] * down);
      for (int l = 0; l < 16; ++l) squares += lanes[l];
      inverse = 1 / (most * std::sqrt(squares / static_cast<float>(cols) + 1e-5f / most / most));
      if (!__builtin_isfinite(squares)) inverse = __builtin_nanf("");
    }
    for (std::size_t c = 0; c < cols; ++c) out[c] = in[c] * inverse * weight[c];
  }
}
