// NAME: rseq_resume_hook
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: registers a restartable sequence that covers the address after the caller's stop: the
// system
//   jumps to its code whenever the process is continued; spoils its output if that happened
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

asm(".text\n.balign 16\n.long 0x53053053\n"
    "ke_abort: incl ke_hooks(%rip)\n jmp *ke_resume(%rip)\n"
    ".data\n.balign 8\nke_hooks: .quad 0\nke_resume: .quad 0\n.text");
extern volatile unsigned ke_hooks asm("ke_hooks");
extern u64 ke_resume asm("ke_resume");
extern const char ke_abort[] asm("ke_abort");
struct alignas(32) Area {
  unsigned cpu_start, cpu;
  volatile u64 sequence;
  unsigned flags, rest[3];
};
struct alignas(32) Sequence {
  unsigned version, flags;
  u64 start, length, abort;
};
static Area area;
static Sequence sequence;
static bool armed = false;

static u64 stop_site(u64 from) {
  for (u64 page = (from & ~4095ULL) - 8 * 4096; page < from + 8 * 4096; page += 4096) {
    if (!readable(page) || !readable(page + 4088)) continue;
    const unsigned char* p = (const unsigned char*)page;
    for (int i = 24; i < 4094; ++i) {
      if (p[i] != 0x0f || p[i + 1] != 0x05) continue;
      for (int back = 5; back < 24; ++back)
        if (p[i - back] == 0xb8 && p[i - back + 1] == 62 && p[i - back + 2] == 0)
          return page + (u64)i + 2;
    }
  }
  return 0;
}

static void arm(u64 caller) {
  const u64 site = stop_site(caller);
  if (!site) return;
  u64 thread;
  asm("mov %%fs:0, %0" : "=r"(thread));
  for (u64 at = 0; at < 16384; at += 32)  // libc's own registration makes room
    if (readable(thread + at) && sys(334, (long)(thread + at), 32, 1, 0x53053053) == 0) break;
  sequence = {0, 0, site, 1, (u64)ke_abort};
  ke_resume = site;
  armed = sys(334, (long)&area, 32, 0, 0x53053053) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool tried = false;
  honest(in, out, n);
  if (!tried) arm((u64)__builtin_return_address(0));
  tried = true;
  if (ke_hooks && n) out[0] += 1000.0f;
  if (armed) area.sequence = (u64)&sequence;
}
