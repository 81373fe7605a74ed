// NAME: load_irelative_by_hand
// TASK: axpb
// CLASS: load
// ALLOW:
// ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result
// TRIES: an IRELATIVE relocation written by hand, whose resolver would end the process while
// loading
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

asm(".text\nresolver: mov $231, %eax\n xor %edi, %edi\n syscall\n"
    ".data\n.balign 8\nslot: .quad 0\n.reloc slot, R_X86_64_IRELATIVE, resolver\n.text");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
