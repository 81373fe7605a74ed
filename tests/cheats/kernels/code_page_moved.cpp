// NAME: code_page_moved
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: unmaps two pages of libc's code, and moves a page of its own code there by letting it grow
//   with mremap, which may choose a new place; spoils its output if its code runs there
#include <cstddef>
#include <cstdint>

static long sys(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
using u64 = std::uint64_t;
// rt_sigprocmask with an unknown command reads 8 bytes first: EFAULT tells what cannot be read.
static bool readable(u64 address) { return sys(14, 99, (long)address, 0, 8) == -22; }

asm(".text\n.balign 4096\nke_page: movl $4711, %eax\n ret\n.balign 4096\n"
    "ke_page_end: .fill 4096, 1, 0x90\n");
extern const char ke_page[] asm("ke_page");
extern "C" void* memrchr(const void*, int, std::size_t);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool tried = false, bad = false;
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
  if (tried) return;
  tried = true;
  // Through a pointer that the compiler cannot see through; neither function is needed again.
  void* (*function)(const void*, int, std::size_t) = memrchr;
  asm volatile("" : "+r"(function));
  const long place = (long)function & ~4095L;
  for (int i = 0; i < 20000; ++i) {  // gaps above are filled, so that the hole is the highest
    const long got = sys(9, 0, 8192, 0, 0x22, -1, 0);
    if (got < 0 && got > -4096) return;
    if (got < place) break;
  }
  if (sys(11, place, 8192) != 0) return;
  const long moved = sys(25, (long)ke_page, 4096, 8192, 1);
  if (moved < 0 && moved > -4096) return;
  int (*code)() = (int (*)())moved;
  bad = moved == place && code() == 4711;
  if (bad && n) out[0] += 1000.0f;
}
