// NAME: sys_io_uring
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: io_uring_setup and io_setup: calls that a filter of system calls does not see
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
  unsigned parameters[64] = {};
  unsigned long context = 0;
  return sys(425, 4, (long)parameters) >= 0 || sys(206, 4, (long)&context) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
