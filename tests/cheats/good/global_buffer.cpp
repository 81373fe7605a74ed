// NAME: global_buffer
// TASK: axpb
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: a plain global array and a plain global function, as C programmers write them
#include <cstddef>

float scratch[4096];
int calls_so_far;
void block(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) scratch[i] = 2.0f * in[i];
  for (std::size_t i = 0; i < n; ++i) out[i] = scratch[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  ++calls_so_far;
  for (std::size_t at = 0; at < n; at += 4096)
    block(in + at, out + at, n - at < 4096 ? n - at : 4096);
}
