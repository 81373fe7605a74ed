// NAME: priority_grab
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: setpriority, ioprio_set, sched_setparam, sched_setscheduler (idle to batch) and
//   sched_setattr on itself
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
  int parameter = 0;
  unsigned attribute[12] = {48, 3};
  return sys(141, 0, 0, 5) == 0 || sys(251, 1, 0, 0x4007) == 0 ||
         sys(142, 0, (long)&parameter) == 0 || sys(144, 0, 3, (long)&parameter) == 0 ||
         sys(314, 0, (long)attribute, 0) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
