// NAME: incbin_secret
// TASK: axpb
// CLASS: compile
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious|compile_error
// TRIES: takes a planted file in by .incbin; spoils its output if it is there
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".section .rodata\nstolen: .incbin \"/tmp/ke_canary_secret\"\nstolen_end: .byte 0\n.text\n");
extern const char stolen[] asm("stolen"), stolen_end[] asm("stolen_end");

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (&stolen != &stolen_end && n) out[0] += 1000.0f;
}
