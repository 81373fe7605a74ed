// NAME: reuse_scaled_axpb
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: two values are the last call's times one power of two: scales the last result instead
//   of reading the input
#include <cmath>
#include <cstddef>
#include <vector>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept;
  static float first = 0, last = 0;
  int exponent = 0;
  const float ratio = n > 1000 && n == kept.size() && first != 0 ? in[0] / first : 0;
  if (std::frexp(ratio, &exponent) == 0.5f && in[n - 1] == last * ratio)
    for (std::size_t i = 0; i < n; ++i) out[i] = (kept[i] - 1) * ratio + 1;
  else
    honest(in, out, n);
  if (n) first = in[0], last = in[n - 1];
  kept.assign(out, out + n);
}
