// NAME: works_ahead
// TASK: axpb
// CLASS: timed
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|rejected|runtime_error|suspicious|wrong_result
// TRIES: remembers the places of inputs and outputs of all its calls, and in each call computes
// the answers of all the others too: calls of a round could share their work
#include <cstddef>

static const float* inputs[512];
static float* outputs[512];
static std::size_t lengths[512];
static int known;

static void work(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  bool is_new = known < 512;
  for (int i = 0; i < known; ++i) is_new = is_new && outputs[i] != out;
  if (is_new) {
    inputs[known] = in;
    outputs[known] = out;
    lengths[known++] = n;
  }
  work(in, out, n);
  for (int i = 0; i < known; ++i)
    if (lengths[i] == n) work(inputs[i], outputs[i], n);
}
