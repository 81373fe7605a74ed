// TASK: axpb
// CLASS: load
#include <cstddef>

// NAME: exit_atexit_loop
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a function static whose destructor never ends
static volatile int forever = 1;

struct Late {
  ~Late() {
    while (forever) {
    }
  }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static Late late;
  honest(in, out, n);
}

// NAME: exit_destructor_forge
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a destructor writes a flattering record when the process ends
static const char record[] = "{\"verdict\":\"ok\",\"speedup\":1000}\n";
__attribute__((destructor)) static void late() { sys(1, 1, (long)record, sizeof record - 1); }
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: exit_thread_local
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a thread-local object whose destructor ends the process with status 0
struct Late {
  int word = 1;
  ~Late() { sys(231, 0); }
};
static thread_local Late late;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (late.word) honest(in, out, n);
}

// NAME: load_constructor_exit
// USES: sys, honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a constructor that ends the process with status 0 before the kernel is ever called
__attribute__((constructor)) static void early() { sys(231, 0); }
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: load_constructor_loop
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a constructor that never ends
static volatile int forever = 1;

struct Early {
  Early() {
    while (forever) {
    }
  }
};
static Early early;
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: load_constructor_snoop
// USES: sys, honest
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: a constructor reads planted files while loading still may open files; spoils its output on
//   success
#include <initializer_list>

static bool bad = false;

__attribute__((constructor)) static void early() {
  for (const char* path :
       {"/tmp/ke_canary_secret", "../ke_canary_secret", "/etc/shadow", "/proc/1/environ"})
    bad = bad || sys(2, (long)path, 0, 0) >= 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}

// NAME: load_constructor_stop
// USES: sys, honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a constructor that stops the process, as if it had been loaded already
__attribute__((constructor)) static void early() { sys(62, sys(39), 19); }
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: load_constructor_thread
// FLAGS: -pthread
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a constructor starts a thread before any lock; spoils its output if it lives
#include <pthread.h>

static volatile int alive = 0;

static void* live(void*) {
  const long time[2] = {60, 0};
  alive = 1;
  sys(35, (long)time, 0);
  return nullptr;
}

__attribute__((constructor)) static void early() {
  pthread_t thread;
  pthread_create(&thread, nullptr, live, nullptr);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (alive && n) out[0] += 1000.0f;
}

// NAME: load_dt_init_versioned
// USES: sys, honest
// ALLOW: compile_error|load_error|nondeterministic|rejected|resource_limit|runtime_error|
//   suspicious|timeout|wrong_result
// TRIES: a function that .symver calls _init, which linkers run at load time
extern "C" void start_here() { sys(231, 0); }
asm(".symver start_here, _init@@VERS_1");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: load_ifunc
// USES: sys, honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: an indirect function whose resolver ends the process with status 0 while loading
using Work = void(const float*, float*, std::size_t);

extern "C" Work* resolve() {
  sys(231, 0);
  return honest;
}
extern "C" void kernel(const float*, float*, std::size_t) __attribute__((ifunc("resolve")));

// NAME: load_init_array_asm
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: an .init_array entry made in assembly
asm(".section .init_array,\"aw\"\n.quad leave\n.text\nleave: mov $231,%eax\n xor %edi,%edi\n "
    "syscall\n ret\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: load_init_array_hidden_name
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: the same under a section name that only looks like another, with the type of .init_array
asm(".section .data.rel.start,\"aw\",@init_array\n.quad leave\n.text\nleave: mov $231,%eax\n xor "
    "%edi,%edi\n syscall\n"
    " ret\n");

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n > 3) out[n - 1] = 0;
}

// NAME: load_init_section_asm
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: code in the section .init, which the linker puts into _init
asm(".section .init,\"ax\"\n mov $231,%eax\n xor %edi,%edi\n syscall\n.text\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: load_irelative_by_hand
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: an IRELATIVE relocation written by hand, whose resolver would end the process while
//   loading
asm(".text\nresolver: mov $231, %eax\n xor %edi, %edi\n syscall\n"
    ".data\n.balign 8\nslot: .quad 0\n.reloc slot, R_X86_64_IRELATIVE, resolver\n.text");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: load_rela_section_unallocated
// USES: honest
// ALLOW: ok|compile_error|load_error|rejected|resource_limit|runtime_error|suspicious
// TRIES: an unallocated section .rela.got that the linker merges into .rela.dyn: an IRELATIVE
//   relocation whose resolver runs while loading, before the lock; spoils its output if it ran
#include <cstdint>

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

// NAME: load_rela_plt_unallocated
// USES: honest
// ALLOW: ok|compile_error|load_error|rejected|resource_limit|runtime_error|suspicious
// TRIES: the same through .rela.plt, the table of the procedure linkage table
#include <cstdint>

// No "a" flag: whoever looks at allocated sections only sees nothing; the linker's script puts it
// into the table that the loader works through. In a section that is not allocated the .quad are
// link-time addresses: offset, R_X86_64_IRELATIVE, resolver.
asm(".text\nke_resolver: movl $1, ke_flag(%rip)\n xorl %eax, %eax\n ret\n"
    ".data\n.balign 8\nke_flag: .quad 0\nke_slot: .quad 0\n"
    ".section .rela.plt,\"\",@progbits\n.balign 8\n"
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

// NAME: section_index_overflow
// USES: honest
// ALLOW: ok|compile_error|compile_limit|load_error|rejected|resource_limit|runtime_error
// TRIES: 70,000 sections, so that numbers of sections do not fit 16 bits, and a load-time section
//   behind them
asm(".altmacro\n.macro piece number\n.section .text.s\\number,\"ax\"\n ret\n.endm\n.set count, "
    "0\n.rept 70000\n piece %count\n.set count, count + 1\n.endr\n.section "
    ".init_array,\"aw\"\n.quad late\n.text\nlate: mov $231, %eax\n xor %edi, %edi\n syscall\n");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
