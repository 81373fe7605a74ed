// NAME: optimiser_trap
// TASK: axpb
// CLASS: compile
// FLAGS: -O3
// ALLOW: ok|compile_limit|compile_error|timeout
// TRIES: 20,000 interleaved branches in one function: slow passes of the optimiser
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#define A(x)            \
  if (y & (x * 37 + 1)) \
    y = y * 3 + x;      \
  else                  \
    y ^= y >> ((x & 7) + 1);
#define B(x) \
  A(x)       \
  A((x + 1)) A((x + 2)) A((x + 3)) A((x + 4)) A((x + 5)) A((x + 6)) A((x + 7)) A((x + 8)) A((x + 9))
#define C(x) \
  B(x)       \
  B((x + 10)) B((x + 20)) B((x + 30)) B((x + 40)) B((x + 50)) B((x + 60)) B((x + 70)) B((x + 80))
#define D(x) \
  C(x) C((x + 100)) C((x + 200)) C((x + 300)) C((x + 400)) C((x + 500)) C((x + 600)) C((x + 700))
#define E(x) \
  D(x)       \
  D((x + 1000)) D((x + 2000)) D((x + 3000)) D((x + 4000)) D((x + 5000)) D((x + 6000)) D((x + 7000))

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  unsigned y = static_cast<unsigned>(n);
  E(1) E(2) E(3) honest(in, out, n);
  if (y == 12345 && n) out[0] = 0;
}
