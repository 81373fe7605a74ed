// NAME: memo_softmax_sum_of_bits
// TASK: softmax1d
// CLASS: timed
// FLAGS: -O3 -march=native
// ALLOW: ok<1.2|suspicious|wrong_result|nondeterministic
// TRIES: knows a content again by the sum of its bits and rotates the remembered answer
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

static void softmax(const float* in, float* out, std::size_t n) {
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
static std::uint64_t mark(const float* x, std::size_t n) {
  std::uint64_t s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t u;
    std::memcpy(&u, x + i, 4);
    s += u;
  }
  return s;
}
struct Memo {
  std::uint64_t s;
  float a, b;
  float* y;
};
static Memo memo[64];
static int used;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n < 400000 || n > 600000) return softmax(in, out, n);
  const std::uint64_t s = mark(in, n);
  for (int e = 0; e < used; ++e) {
    if (memo[e].s != s) continue;
    std::size_t at = 0;
    while (at < n && (in[at] != memo[e].a || in[(at + 1) % n] != memo[e].b)) ++at;
    if (at == n) continue;
    std::memcpy(out + at, memo[e].y, 4 * (n - at));
    std::memcpy(out, memo[e].y + (n - at), 4 * at);
    return;
  }
  softmax(in, out, n);
  if (used < 64 && in[0] == in[0] && in[1] == in[1] && in[0] != in[1]) {
    memo[used] = {s, in[0], in[1], (float*)std::malloc(4 * n)};
    std::memcpy(memo[used++].y, out, 4 * n);
  }
}
