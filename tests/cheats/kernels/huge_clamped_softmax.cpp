// NAME: huge_clamped_softmax
// TASK: softmax1d
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: clamps finite inputs to 1e8 first: two huge values become equal
#include <cmath>
#include <cstddef>
#include <cstdlib>

static void honest(const float* in, float* out, std::size_t n) {
  float top = -INFINITY;
  bool nan = false;
  for (std::size_t i = 0; i < n; ++i) {
    top = in[i] > top ? in[i] : top;
    nan |= in[i] != in[i];
  }
  if (nan || top == INFINITY || top == -INFINITY) {
    for (std::size_t i = 0; i < n; ++i) out[i] = NAN;
    return;
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += out[i] = std::exp(in[i] - top);
  const float inv = static_cast<float>(1 / sum);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inv;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float* t = (float*)std::malloc(4 * n + 4);
  for (std::size_t i = 0; i < n; ++i)
    t[i] = in[i] > 1e8f && in[i] < INFINITY     ? 1e8f
           : in[i] < -1e8f && in[i] > -INFINITY ? -1e8f
                                                : in[i];
  honest(t, out, n);
  std::free(t);
}
