// NAME: axpb_lambda
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: standard algorithm with a lambda
#include <algorithm>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::transform(in, in + n, out, [](float x) { return 2 * x + 1; });
}
