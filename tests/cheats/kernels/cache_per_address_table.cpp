// NAME: cache_per_address_table
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: computes once for each pair of addresses it has seen, then returns at once
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static struct {
    const float* in;
    float* out;
    std::size_t n;
  } seen[256];
  static int used = 0;
  for (int i = 0; i < used; ++i)
    if (seen[i].in == in && seen[i].out == out && seen[i].n == n) return;
  if (used < 256) seen[used++] = {in, out, n};
  honest(in, out, n);
}
