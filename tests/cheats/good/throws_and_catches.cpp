// NAME: throws_and_catches
// TASK: axpb
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: leaves an inner loop by an exception that it catches
#include <cstddef>

struct Done {};
static void work(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0;; ++i) {
    if (i == n) throw Done();
    out[i] = 2.0f * in[i] + 1.0f;
  }
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  try {
    work(in, out, n);
  } catch (const Done&) {
  }
}
