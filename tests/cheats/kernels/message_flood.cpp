// NAME: message_flood
// TASK: axpb
// CLASS: compile
// ALLOW: compile_limit|compile_error|rejected|ok
// TRIES: a million notes of the preprocessor
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#define A _Pragma("message \"a long and useless note about nothing at all\"")
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
#define F E E E E E E E E E E
F F F F F F F F F F extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
}
