// NAME: thread_control_block
// TASK: axpb
// CLASS: crash
// ALLOW:
// ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result
// TRIES: changes stack guard and pointer guard in the thread control block
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("movq $0x1234, %%fs:0x28\n movq $0x5678, %%fs:0x30" : : : "memory");
}
