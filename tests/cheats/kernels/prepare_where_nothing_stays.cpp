// NAME: prepare_where_nothing_stays
// TASK: axpb
// CLASS: symbols
// FLAGS: -O3
// ALLOW: rejected
// TRIES: exports a preparation although every input of the task changes
#include <cstddef>

extern "C" void prepare(std::size_t) {}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
