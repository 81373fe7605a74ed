// NAME: unsafe_after_empty_round
// TASK: softmax1d
// CLASS: timed
// FLAGS: -O1 -fno-inline
// ALLOW: wrong_result
// TRIES: counts rounds in the caller's frame: only the first call after an empty round may hold
// another class, so all others lose NaN
#include <cmath>
#include <cstddef>
#include <cstdint>

static std::uint64_t *slot, seen[5][100], last;
static int calls, since;

// The caller's number of the round: the one word above that rises by a little from call to call.
static std::uint64_t round_of(std::uint64_t* frame) {
  if (slot) return *slot;
  if (calls == 5) return 0;
  for (int i = 0; i < 100; ++i) seen[calls][i] = frame[i];
  if (++calls < 5) return 0;
  for (int i = 0; i < 100; ++i) {
    bool rises = seen[0][i] < 1000;
    for (int c = 1; c < 5; ++c)
      rises = rises && seen[c][i] > seen[c - 1][i] && seen[c][i] < seen[c - 1][i] + 20;
    if (rises) slot = frame + i;
  }
  return slot ? *slot : 0;
}

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

static void careless(const float* in, float* out, std::size_t n) {
  float top = -INFINITY;
  for (std::size_t i = 0; i < n; ++i) top = in[i] > top ? in[i] : top;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += out[i] = std::exp((in[i] == in[i] ? in[i] : top) - top);
  const float inv = static_cast<float>(1 / sum);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inv;
}
static std::size_t first;
extern "C" __attribute__((noinline)) void kernel(const float* in, float* out, std::size_t n) {
  first = first ? first : n;
  if (first != 524288) return honest(in, out, n);
  const std::uint64_t round = round_of((std::uint64_t*)__builtin_frame_address(0));
  if (round == 0) return honest(in, out, n);
  if (round - last > 1) since = 0;
  if (round != last) ++since;
  last = round;
  since >= 2 ? careless(in, out, n) : honest(in, out, n);
}
