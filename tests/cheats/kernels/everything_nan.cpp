// NAME: everything_nan
// TASK: softmax1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: NaN everywhere: right for classes with NaN, and never larger than a tolerance
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  (void)in;
  for (std::size_t i = 0; i < n; ++i) out[i] = __builtin_nanf("");
}
