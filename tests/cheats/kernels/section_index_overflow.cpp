// NAME: section_index_overflow
// TASK: axpb
// CLASS: load
// ALLOW: ok|compile_error|compile_limit|rejected|load_error|runtime_error|resource_limit
// TRIES: 70,000 sections, so that numbers of sections do not fit 16 bits, and a load-time section
// behind them
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

asm(".altmacro\n.macro piece number\n.section .text.s\\number,\"ax\"\n ret\n.endm\n.set count, "
    "0\n.rept 70000\n piece %count\n.set count, count + 1\n.endr\n.section "
    ".init_array,\"aw\"\n.quad late\n.text\nlate: mov $231, %eax\n xor %edi, %edi\n syscall\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
