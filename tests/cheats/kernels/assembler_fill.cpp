// NAME: assembler_fill
// TASK: axpb
// CLASS: compile
// ALLOW: compile_limit|compile_error|rejected|load_error|resource_limit|runtime_error
// TRIES: 2 GiB of data in one directive
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".data\n.fill 536870912,4,0x12345678\n.text\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
