// NAME: section_flood
// TASK: axpb
// CLASS: compile
// ALLOW: ok|compile_error|compile_limit|rejected
// TRIES: 20,000 sections of code and 500,000 relocations: whoever pairs them naively takes minutes
#include <cstddef>

asm(".altmacro\n"
    ".macro piece number\n.section .text.s\\number,\"ax\"\n ret\n.endm\n"
    ".set count, 0\n"
    ".rept 20000\n piece %count\n.set count, count + 1\n.endr\n"
    ".data\n.rept 500000\n.quad memcpy\n.endr\n.text\n");

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
