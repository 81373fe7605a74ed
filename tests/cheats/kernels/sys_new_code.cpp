// NAME: sys_new_code
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: maps new executable memory: anonymous, from a memory file, by mprotect, by
//   pkey_mprotect, by remapping, by personality
#include <cstddef>

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
static char page[8192] __attribute__((aligned(4096)));

static bool attempt() {
  if (sys(9, 0, 4096, 7, 0x22, -1, 0) > 0 || sys(9, 0, 4096, 5, 0x22, -1, 0) > 0) return true;
  if (sys(10, (long)page, 4096, 7) == 0 || sys(329, (long)page, 4096, 7, -1) == 0) return true;
  const long fd = sys(319, (long)"x", 0);
  return fd >= 0 || sys(135, 0x0400000) >= 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
