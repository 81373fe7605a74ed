// NAME: load_rela_section_unallocated
// TASK: axpb
// CLASS: load
// ALLOW: ok|compile_error|load_error|rejected|resource_limit|runtime_error|suspicious
// TRIES: an unallocated section .rela.got that the linker merges into .rela.dyn: an IRELATIVE
//   relocation whose resolver runs while loading, before the lock; spoils its output if it ran
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// No "a" flag: whoever looks at allocated sections only sees nothing; the linker's script puts it
// into the table that the loader works through. In a section that is not allocated the .quad are
// link-time addresses: offset, R_X86_64_IRELATIVE, resolver.
asm(".text\nke_resolver: movl $1, ke_flag(%rip)\n xorl %eax, %eax\n ret\n"
    ".data\n.balign 8\nke_flag: .quad 0\nke_slot: .quad 0\n"
    ".section .rela.got,\"\",@progbits\n.balign 8\n"
    ".quad ke_slot\n.quad 37\n.quad ke_resolver\n.text");
extern volatile int ke_flag asm("ke_flag");
extern "C" void* malloc(std::size_t);
extern "C" void free(void*);
static float some;
static float* pointer = &some;  // an honest relative relocation, so that there is such a table

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  asm volatile("" : "+m"(pointer));
  void* block = malloc(n + 1);  // and one of the procedure linkage table
  asm volatile("" : "+r"(block));
  free(block);
  honest(in, out, n);
  if (ke_flag && n) out[0] += 1000.0f;
}
