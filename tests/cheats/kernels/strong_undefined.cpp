// NAME: strong_undefined
// TASK: axpb
// CLASS: symbols
// ALLOW: rejected|load_error|compile_error
// TRIES: needs a function that no library has
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void judge_internal_state(void);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  judge_internal_state();
  honest(in, out, n);
}
