// NAME: axpb_target_clones
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: chooses by the processor at run time, without an indirect function
#include <cstddef>

__attribute__((target("avx2"))) static void wide(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

static void plain(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  __builtin_cpu_init();
  __builtin_cpu_supports("avx2") ? wide(in, out, n) : plain(in, out, n);
}
