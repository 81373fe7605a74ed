// NAME: executable_stack
// TASK: axpb
// CLASS: symbols
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: asks for an executable stack by its note section and runs code there; spoils its output
//   on success
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".section .note.GNU-stack,\"x\",@progbits\n.text\n");

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile unsigned char code[16] = {0xc3};
  reinterpret_cast<void (*)()>(const_cast<unsigned char*>(code))();
  if (n) out[0] += 1000.0f;
}
