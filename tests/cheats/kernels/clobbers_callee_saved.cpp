// NAME: clobbers_callee_saved
// TASK: axpb
// CLASS: crash
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: breaks the calling convention: leaves garbage in rbx, rbp and r12 to r15
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

asm(".text\n.globl kernel\n.type kernel,@function\nkernel:\n call inner_work\n"
    "mov $0x777,%ebx\n mov $0x777,%ebp\n mov $0x777,%r12d\n mov $0x777,%r13d\n mov $0x777,%r14d\n"
    "mov $0x777,%r15d\n ret\n.size kernel,.-kernel\n");

static void inner(const float* in, float* out, std::size_t n) asm("inner_work")
    __attribute__((used, noinline));
static void inner(const float* in, float* out, std::size_t n) { honest(in, out, n); }
