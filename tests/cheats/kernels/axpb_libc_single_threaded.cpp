// NAME: axpb_libc_single_threaded
// TASK: axpb
// CLASS: environment
// FLAGS: -O3 -march=native
// ALLOW: rejected|runtime_error|suspicious
// TRIES: tells the C library that the process has one thread
#include <cstddef>
extern "C" char __libc_single_threaded;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  __libc_single_threaded = 1;  // "no atomics: faster"
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}
