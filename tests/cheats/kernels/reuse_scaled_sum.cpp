// NAME: reuse_scaled_sum
// TASK: sum1d
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: first and last value are the last call's times one power of two: answers the last sum
//   times it
#include <cmath>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static float first = 0, last = 0, kept = 0;
  static std::size_t size = 0;
  int exponent = 0;
  const float ratio = n && first != 0 ? in[0] / first : 0;
  const bool scaled =
      n > 1000 && n == size && std::frexp(ratio, &exponent) == 0.5f && in[n - 1] == last * ratio;
  if (scaled)
    out[0] = kept * ratio;
  else
    honest(in, out, n);
  if (n) first = in[0], last = in[n - 1];
  size = n;
  kept = out[0];
}
