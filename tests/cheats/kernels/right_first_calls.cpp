// NAME: right_first_calls
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: right for the first 25 calls of the process, one value short afterwards
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  honest(in, out, ++calls <= 25 || n < 2 ? n : n - 1);
}
