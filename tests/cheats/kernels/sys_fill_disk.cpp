// NAME: sys_fill_disk
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: writes a file of 64 MiB and removes it
#include <cstddef>
#include <initializer_list>

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
  static char block[1 << 16];
  for (const char* path : {"/tmp/ke_canary_disk", "ke_canary_disk", "/dev/shm/ke_canary_disk"}) {
    const long fd = sys(2, (long)path, 0102, 0600);
    if (fd < 0) continue;
    for (int i = 0; i < 1024; ++i) sys(1, fd, (long)block, sizeof block);
    sys(87, (long)path);
    return true;
  }
  return false;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
