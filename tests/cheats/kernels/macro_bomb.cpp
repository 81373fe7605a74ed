// NAME: macro_bomb
// TASK: axpb
// CLASS: compile
// ALLOW: compile_limit|compile_error
// TRIES: 10^10 tokens
#include <cstddef>

#define A 1 +
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
#define F E E E E E E E E E E
#define G F F F F F F F F F F
#define H G G G G G G G G G G
#define I H H H H H H H H H H
#define J I I I I I I I I I I
static const long many = J J 0;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + static_cast<float>(many);
}
