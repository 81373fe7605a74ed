// TASK: axpb
// CLASS: environment
#include <cstddef>

// NAME: alignment_check_left
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: leaves alignment checks on, so that unaligned accesses of the caller fault
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("sub $128,%%rsp\n pushf\n orl $0x40000,(%%rsp)\n popf\n add $128,%%rsp"
               :
               :
               : "cc", "memory");
}

// NAME: axpb_libc_single_threaded
// FLAGS: -O3 -march=native
// ALLOW: rejected|runtime_error|suspicious
// TRIES: tells the C library that the process has one thread
extern "C" char __libc_single_threaded;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  __libc_single_threaded = 1;  // "no atomics: faster"
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}

// NAME: axpb_omp_settings
// FLAGS: -O3 -march=native -fopenmp
// ALLOW: rejected
// TRIES: leaves the caller's OpenMP with one thread
#include <omp.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  omp_set_dynamic(0);
  omp_set_num_threads(1);
#pragma omp parallel for simd
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}

// NAME: axpb_signals_blocked
// FLAGS: -O3 -march=native
// ALLOW: rejected|runtime_error|suspicious
// TRIES: leaves the caller's signals blocked
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  unsigned long all = ~0UL;
  long result;
  asm volatile("mov $8, %%r10\n\tsyscall"
               : "=a"(result)
               : "a"(14L), "D"(0L), "S"(&all), "d"(0L)
               : "rcx", "r11", "r10", "memory");
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}

// NAME: changes_fs_base
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: moves the thread pointer: the caller's thread-local data, stack protector and errno are
//   elsewhere afterwards
static char area[65536] __attribute__((aligned(64)));

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (sys(158, 0x1002, (long)(area + 32768)) == 0 && n) out[0] += 1000.0f;
}

// NAME: changes_gs_base
// USES: sys, honest, attempt_kernel
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: points the gs segment elsewhere through arch_prctl; spoils its output if that worked
static bool attempt() { return sys(158, 0x1001, 0x1000) == 0; }

// NAME: direction_flag_left
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: leaves the direction flag set: later string instructions of the caller run backwards
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("std");
}

// NAME: leaves_direction_flag
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: returns with the direction flag set
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  asm volatile("std" : : : "cc");
}

// NAME: leaves_mmx
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: uses MMX registers and returns without emms
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  asm volatile("pxor %%mm0, %%mm0" : : : "mm0");
}

// NAME: mxcsr_ftz_daz
// USES: honest
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: turns flush-to-zero and denormals-are-zero on by ldmxcsr and leaves them on
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  unsigned word;
  asm volatile("stmxcsr %0" : "=m"(word));
  word |= 0x8040;
  asm volatile("ldmxcsr %0" : : "m"(word));
  honest(in, out, n);
}

// NAME: mxcsr_fxrstor
// USES: honest
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: the same through fxrstor, which no search for ldmxcsr finds
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  alignas(16) unsigned char area[512];
  honest(in, out, n);
  asm volatile("fxsave %0" : "=m"(area));
  area[25] |= 0x80;
  asm volatile("fxrstor %0" : : "m"(area));
}

// NAME: mxcsr_large_only
// USES: honest
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: changes MXCSR at large sizes only, after 5 calls there
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int large = 0;
  honest(in, out, n);
  unsigned word = 0x9fc0;
  if (n > 500000 && ++large > 5) asm volatile("ldmxcsr %0" : : "m"(word));
}

// NAME: mxcsr_round_up
// USES: honest
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: leaves the rounding mode at upwards by ldmxcsr
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  unsigned word = 0x1f80 | 0x4000;
  asm volatile("ldmxcsr %0" : : "m"(word));
}

// NAME: mxcsr_unmask
// USES: honest
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: leaves floating-point traps unmasked
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  unsigned word = 0x0000;
  asm volatile("ldmxcsr %0" : : "m"(word));
}

// NAME: trap_flag_left
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: leaves single-stepping on
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("sub $128,%%rsp\n pushf\n orl $0x100,(%%rsp)\n popf\n add $128,%%rsp"
               :
               :
               : "cc", "memory");
}

// NAME: x87_control_word
// USES: honest
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: leaves the x87 unit in single precision, rounding down
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  unsigned short word = 0x047f;
  asm volatile("fldcw %0" : : "m"(word));
}

// NAME: x87_stack_left
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: leaves eight values on the x87 stack, so that the next long double operation gives NaN
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1");
}
