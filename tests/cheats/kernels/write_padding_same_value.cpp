// NAME: write_padding_same_value
// TASK: axpb
// CLASS: bounds
// ALLOW: ok|runtime_error|wrong_result
// TRIES: rewrites the 3 values past the end with what they hold: no comparison sees it, a guard
//   page may
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  for (int i = 0; i < 3; ++i) p[n + i] = p[n + i];
}
