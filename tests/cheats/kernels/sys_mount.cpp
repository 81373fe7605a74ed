// NAME: sys_mount
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: mount, unshare, setns, chroot, pivot_root, fsopen, open_tree
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
  return sys(272, 0x10000000) == 0 || sys(272, 0x00020000) == 0 || sys(161, (long)".") == 0 ||
         sys(165, (long)"none", (long)"/tmp", (long)"tmpfs", 0x1021, 0) == 0 ||
         sys(430, (long)"tmpfs", 0) >= 0 || sys(428, -100, (long)"/", 1) >= 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
