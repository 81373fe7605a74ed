// NAME: asm_include_secret
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error
// TRIES: lets the assembler include the password file, whose lines would come back as messages
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".include \"/etc/passwd\"\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
