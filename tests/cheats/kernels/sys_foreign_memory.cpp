// NAME: sys_foreign_memory
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: process_vm_readv, process_vm_writev, pidfd_getfd, process_madvise and kcmp on its
//   parent
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
  const long parent = sys(110);
  char byte[8];
  const long here[2] = {(long)byte, 8}, there[2] = {0x400000, 8};
  if (parent > 0 && (sys(310, parent, (long)here, 1, (long)there, 1, 0) > 0 ||
                     sys(312, parent, sys(39), 1, 0, 0) >= 0))
    return true;
  const long fd = sys(434, parent, 0);
  return fd >= 0 && sys(438, fd, 0, 0) >= 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
