// NAME: trap_flag_left
// TASK: axpb
// CLASS: environment
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: leaves single-stepping on
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("sub $128,%%rsp\n pushf\n orl $0x100,(%%rsp)\n popf\n add $128,%%rsp"
               :
               :
               : "cc", "memory");
}
