// NAME: forbidden_flag_linker
// TASK: axpb
// CLASS: flags
// FLAGS: -Wl,-init,kernel -Wa,--defsym,x=1 -L/tmp -I/tmp
// ALLOW: rejected
// TRIES: passes options to linker and assembler, and search paths
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
