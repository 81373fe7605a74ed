// NAME: abort_when_right
// TASK: axpb
// CLASS: crash
// ALLOW:
// load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result
// TRIES: aborts after a right answer, in its 30th call
#include <cstddef>
#include <cstdlib>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static int calls;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (++calls == 30) std::abort();
}
