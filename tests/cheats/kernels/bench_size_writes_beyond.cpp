// NAME: bench_size_writes_beyond
// TASK: axpb
// CLASS: shape
// ALLOW: runtime_error|wrong_result
// TRIES: out of bounds at the bench size only: 16 values past the end
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  if (n == 2097152)
    for (int i = 0; i < 16; ++i) p[n + i] = 0;
}
