// NAME: load_init_array_asm
// TASK: axpb
// CLASS: load
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: an .init_array entry made in assembly
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".section .init_array,\"aw\"\n.quad leave\n.text\nleave: mov $231,%eax\n xor %edi,%edi\n "
    "syscall\n ret\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
