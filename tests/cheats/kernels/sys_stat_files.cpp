// NAME: sys_stat_files
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: learns whether planted files exist, by stat, access, readlink, statx and getdents
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

static bool attempt() {
  char buffer[4096];
  const char* path = "/tmp/ke_canary_secret";
  return sys(4, (long)path, (long)buffer) == 0 || sys(21, (long)path, 0) == 0 ||
         sys(269, -100, (long)path, 0) == 0 || sys(262, -100, (long)path, (long)buffer, 0) == 0 ||
         sys(332, -100, (long)path, 0, 0xfff, (long)buffer) == 0 ||
         sys(89, (long)"/proc/self/exe", (long)buffer, sizeof buffer) > 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
