// NAME: axpb_recursive
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: halves the range recursively
#include <cstddef>

static void run(const float* in, float* out, std::size_t n) {
  if (n > 512) {
    run(in, out, n / 2);
    run(in + n / 2, out + n / 2, n - n / 2);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { run(in, out, n); }
