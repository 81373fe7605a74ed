// NAME: bench_size_reads_beyond
// TASK: sum1d
// CLASS: shape
// ALLOW: runtime_error|wrong_result
// TRIES: reads past the end of the input at large sizes only
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float sink = 0;
  if (n > 500000)
    for (int i = 0; i < 2048; ++i) sink = sink + const_cast<const volatile float*>(in)[n + i];
}
