// NAME: nan_lost_after_150_calls
// TASK: softmax1d
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: wrong_result
// TRIES: treats NaN as the maximum after 150 calls at the bench size
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

static void softmax(const float* in, float* out, std::size_t n, bool safe) {
  float top = -INFINITY;
  bool nan = false;
  for (std::size_t i = 0; i < n; ++i) {
    top = in[i] > top ? in[i] : top;
    nan |= in[i] != in[i];
  }
  if (safe && (nan || top == INFINITY || top == -INFINITY)) {
    for (std::size_t i = 0; i < n; ++i) out[i] = NAN;
    return;
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    float x = in[i];
    if (x != x) x = top;
    sum += out[i] = std::exp(x - top);
  }
  const float inv = static_cast<float>(1 / sum);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inv;
}
static std::size_t calls = 0, first = 0;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  (void)calls;
  (void)first;
  softmax(in, out, n, !(n == 524288 && ++calls > 150));
}
