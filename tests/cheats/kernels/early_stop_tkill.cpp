// NAME: early_stop_tkill
// TASK: axpb
// CLASS: early
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: the same through tkill, rt_sigqueueinfo and pidfd_send_signal, whichever works; nothing
//   is written if none does
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

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  int info[32] = {19, 0, -1};
  bool stopped = sys(200, sys(186), 19) == 0;
  if (!stopped) stopped = sys(129, sys(39), 19, (long)info) == 0;
  if (!stopped) {
    const long self = sys(434, sys(39), 0);
    stopped = self >= 0 && sys(424, self, 19, 0, 0) == 0;
  }
  if (stopped) honest(in, out, n);
}
