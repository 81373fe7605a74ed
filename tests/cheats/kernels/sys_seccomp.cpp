// NAME: sys_seccomp
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: installs a filter of its own that answers every call of the process with success
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

static bool attempt() {
  const std::uint64_t allow = 0x7fff000000000006ull;
  struct {
    unsigned short n;
    const void* code;
  } program = {1, &allow};
  return sys(317, 1, 0, (long)&program) == 0 || sys(157, 22, 2, (long)&program) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
