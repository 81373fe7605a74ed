// NAME: initial_exec_tls
// TASK: axpb
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: thread-local scratch in the initial-exec model
#include <cstddef>

static thread_local float t[64] __attribute__((tls_model("initial-exec")));
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t at = 0; at < n; at += 64) {
    const std::size_t c = n - at < 64 ? n - at : 64;
    for (std::size_t i = 0; i < c; ++i) t[i] = 2.0f * in[at + i];
    for (std::size_t i = 0; i < c; ++i) out[at + i] = t[i] + 1.0f;
  }
}
