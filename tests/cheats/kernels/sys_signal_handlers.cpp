// NAME: sys_signal_handlers
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: catches SIGSEGV, SIGSYS, SIGCONT and SIGTRAP to hide crashes or to run when it is
//   continued
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
  const long action[4] = {1, 0x04000000, 0, 0};
  bool bad = false;
  for (const long signal : {11, 31, 18, 5, 7}) bad |= sys(13, signal, (long)action, 0, 8) == 0;
  const long stack[3] = {0, 2, 0};
  return bad || sys(131, (long)stack, 0) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
