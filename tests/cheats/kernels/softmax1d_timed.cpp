// TASK: softmax1d
// CLASS: timed
// ALLOW: ok<1.2|nondeterministic|suspicious|wrong_result
#include <cmath>
#include <cstddef>
#include <cstdint>

// NAME: memo_honest_after_pauses
// FLAGS: -O3 -march=native
// USES: softmax, memo
// TRIES: remembers answers, but works honestly in the calls that follow a pause, in which the judge
//   may have drawn new contents
static int honest_calls;
static std::uint64_t ended;

static void answer(const float* in, float* out, std::size_t n) {
  if (__builtin_ia32_rdtsc() - ended > 42000000) honest_calls = 4;  // some 20 ms
  if (n < 400000 || n > 600000 || honest_calls-- > 0) return softmax(in, out, n);
  honest_calls = 0;
  if (recall(in, out, n)) return;
  learn(in, out, n);
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  answer(in, out, n);
  ended = __builtin_ia32_rdtsc();
}

// NAME: memo_softmax_sum_of_bits
// FLAGS: -O3 -march=native
// USES: softmax, memo
// TRIES: knows a content again by the sum of its bits and rotates the remembered answer
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n < 400000 || n > 600000) return softmax(in, out, n);
  if (recall(in, out, n)) return;
  learn(in, out, n);
}

// NAME: memo_turns_honest
// FLAGS: -O3 -march=native
// USES: softmax, memo
// TRIES: remembers answers, and stops doing so at the first content that it does not know after
//   many that it did; its honest calls take as long as the naive kernel's, the others a quarter
static int hits;
static bool wary;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (wary || n < 400000 || n > 600000) return softmax(in, out, n);
  if (recall(in, out, n)) return void(++hits);
  if (hits > 12) wary = true;
  learn(in, out, n);
}

// NAME: unsafe_after_empty_round
// FLAGS: -O1 -fno-inline
// ALLOW: wrong_result
// USES: softmax
// TRIES: counts rounds in the caller's frame: only the first call after an empty round may hold
//   another class, so all others lose NaN
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
  if (first != 524288) return softmax(in, out, n);
  const std::uint64_t round = round_of((std::uint64_t*)__builtin_frame_address(0));
  if (round == 0) return softmax(in, out, n);
  if (round - last > 1) since = 0;
  if (round != last) ++since;
  last = round;
  since >= 2 ? careless(in, out, n) : softmax(in, out, n);
}
