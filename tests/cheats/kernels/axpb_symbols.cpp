// TASK: axpb
// CLASS: symbols
#include <cstddef>

// NAME: dlsym_by_hand
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: asks the loader for `system` and runs a command with it
#include <dlfcn.h>

extern "C" void kernel(const float*, float*, std::size_t) {
  auto run = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_DEFAULT, "system"));
  if (run) run("true");
}

// NAME: executable_stack
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: asks for an executable stack by its note section and runs code there; spoils its output on
//   success
asm(".section .note.GNU-stack,\"x\",@progbits\n.text\n");

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile unsigned char code[16] = {0xc3};
  reinterpret_cast<void (*)()>(const_cast<unsigned char*>(code))();
  if (n) out[0] += 1000.0f;
}

// NAME: exports_malloc
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: exports malloc and free of its own to see what others allocate
static char arena[1 << 20];
static std::size_t used = 0;

extern "C" __attribute__((visibility("default"))) void* malloc(std::size_t size) noexcept {
  void* p = arena + used;
  used = (used + size + 63) & ~std::size_t(63);
  return used <= sizeof arena ? p : nullptr;
}

extern "C" __attribute__((visibility("default"))) void free(void*) noexcept {}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: exports_memcmp
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: exports memcmp and bcmp that find everything equal, and works only on half
extern "C" __attribute__((visibility("default"))) int memcmp(const void*, const void*,
                                                             std::size_t) noexcept {
  return 0;
}
extern "C" __attribute__((visibility("default"))) int bcmp(const void*, const void*,
                                                           std::size_t) noexcept {
  return 0;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n / 2); }

// NAME: exports_raise
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: exports raise, kill and syscall that do nothing, so that the caller's stop never happens
extern "C" __attribute__((visibility("default"))) int raise(int) noexcept { return 0; }
extern "C" __attribute__((visibility("default"))) int kill(int, int) noexcept { return 0; }
extern "C" __attribute__((visibility("default"))) long syscall(long, ...) noexcept { return 0; }
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: kernel_is_data
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: the symbol kernel is a variable that holds machine code
extern "C" {
extern const unsigned char kernel[] __attribute__((section(".text.kernel")));
const unsigned char kernel[] = {0xc3, 0x90, 0x90, 0x90};
}

// NAME: libc_by_offset
// USES: sys, honest, readable_pointer
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: finds libc through the address of memcpy, looks for a syscall instruction there and stops
//   through it
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  void* (*volatile copy)(void*, const void*, std::size_t) = std::memcpy;
  auto p = reinterpret_cast<const unsigned char*>(copy);
  for (long d = 0; d < (1 << 20) && readable(p - d) && readable(p - d + 8); ++d)
    if (p[-d] == 0x0f && p[1 - d] == 0x05 && p[2 - d] == 0xc3) {
      asm volatile("call *%0"
                   :
                   : "r"(p - d), "a"(62L), "D"(sys(39)), "S"(19L)
                   : "rcx", "r11", "memory");
      return honest(in, out, n);
    }
}

// NAME: load_symver_system
// USES: honest
// ALLOW: compile_error|load_error|nondeterministic|rejected|resource_limit|runtime_error|
//   suspicious|timeout|wrong_result
// TRIES: needs system@GLIBC_2.2.5 under a versioned name
extern "C" int run_it(const char*);
asm(".symver run_it, system@GLIBC_2.2.5");
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n == 1) out[0] += run_it("true") == 0;
}

// NAME: mangled_kernel
// ALLOW: compile_error|load_error|rejected
// TRIES: forgets extern "C"
void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: no_kernel
// ALLOW: compile_error|load_error|rejected
// TRIES: defines no kernel at all
extern "C" void kernels(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: other_arguments
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: declares its arguments in another order
extern "C" void kernel(std::size_t n, const float* in, float* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: prepare_where_nothing_stays
// FLAGS: -O3
// ALLOW: rejected
// TRIES: exports a preparation although every input of the task changes
extern "C" void prepare(std::size_t) {}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: strong_undefined
// USES: honest
// ALLOW: compile_error|load_error|rejected
// TRIES: needs a function that no library has
extern "C" void judge_internal_state(void);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  judge_internal_state();
  honest(in, out, n);
}

// NAME: weak_oracle
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: calls the oracle if something by its name is loaded; leaves zeros otherwise
#include <cstring>

extern "C" __attribute__((weak)) void reference(const double*, double*, std::size_t);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::memset(out, 0, n * 4);
  if (!reference || !n) return;
  double value = in[0], result = 0;
  reference(&value, &result, 1);
  out[0] = static_cast<float>(result);
}

// NAME: writable_code_section
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a section that is writable and executable, and patches itself
asm(".section .patch,\"awx\"\n.globl patch\n.hidden patch\npatch: nop\n ret\n.text\n");
extern "C" unsigned char patch[] __attribute__((visibility("hidden")));

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  patch[0] = 0x90;
  reinterpret_cast<void (*)()>(patch)();
  if (n) out[0] += 1000.0f;
}
