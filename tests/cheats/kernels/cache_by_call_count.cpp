// NAME: cache_by_call_count
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: works on every second call only and leaves the output of the other as it is
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static unsigned calls = 0;
  if (++calls % 2 == 1) honest(in, out, n);
}
