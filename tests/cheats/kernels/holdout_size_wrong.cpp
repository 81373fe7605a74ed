// NAME: holdout_size_wrong
// TASK: axpb
// CLASS: shape
// ALLOW: ok|wrong_result|nondeterministic|suspicious
// TRIES: wrong at 300 thousand to 310 thousand values only: a holdout workload sees it, test
//   workloads may not
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n > 300000 && n < 310000 ? n - 1 : n);
}
