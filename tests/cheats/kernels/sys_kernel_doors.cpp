// NAME: sys_kernel_doors
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: perf_event_open, bpf, keyrings, modify_ldt, personality, syslog, ioperm
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
  long attribute[16] = {};
  attribute[0] = (112L << 32) | 1;
  char text[64];
  return sys(298, (long)attribute, 0, -1, -1, 0) >= 0 || sys(321, 0, (long)attribute, 72) >= 0 ||
         sys(250, 0, -3, 1) >= 0 || sys(154, 0, (long)text, 64) >= 0 ||
         sys(103, 3, (long)text, 64) >= 0 || sys(173, 0x80, 1, 0) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
