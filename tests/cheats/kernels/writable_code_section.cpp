// NAME: writable_code_section
// TASK: axpb
// CLASS: symbols
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: a section that is writable and executable, and patches itself
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(".section .patch,\"awx\"\n.globl patch\n.hidden patch\npatch: nop\n ret\n.text\n");
extern "C" unsigned char patch[] __attribute__((visibility("hidden")));

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  patch[0] = 0x90;
  reinterpret_cast<void (*)()>(patch)();
  if (n) out[0] += 1000.0f;
}
