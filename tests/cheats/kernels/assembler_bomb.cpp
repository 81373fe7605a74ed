// NAME: assembler_bomb
// TASK: axpb
// CLASS: compile
// ALLOW: compile_limit|compile_error|rejected|load_error|resource_limit|runtime_error
// TRIES: the assembler repeats an instruction 10^9 times
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".text\nwaste:\n.rept 1000000000\n mov $0x1122334455667788,%rax\n.endr\n ret\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
