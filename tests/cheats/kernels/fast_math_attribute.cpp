// NAME: fast_math_attribute
// TASK: sum1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: the same by attribute: infinities of both signs no longer give NaN
#include <cstddef>

__attribute__((optimize("Ofast,finite-math-only"))) static float add(const float* in,
                                                                     std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!__builtin_isinf(in[i]) || in[i] > 0)
      total += in[i] != in[i] ? 0.0f : in[i] > 3e38f ? 3e38f : in[i];
  return static_cast<float>(total);
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { out[0] = add(in, n); }
