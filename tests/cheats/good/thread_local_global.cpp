// NAME: thread_local_global
// TASK: sum1d
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: a thread-local array at namespace scope, aligned to 64
#include <cstddef>

alignas(64) thread_local double lanes[16];
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (double& l : lanes) l = 0;
  for (std::size_t i = 0; i < n; ++i) lanes[i % 16] += in[i];
  double t = 0;
  for (double l : lanes) t += l;
  out[0] = (float)t;
}
