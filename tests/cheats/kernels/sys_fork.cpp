// NAME: sys_fork
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: fork, vfork, clone and clone3 by raw calls (a child ends at once)
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

static bool child(long id) {
  if (id == 0) sys(231, 0);
  return id > 0;
}

static bool attempt() {
  long arguments[11] = {};
  arguments[4] = 17;
  return child(sys(57)) || child(sys(56, 17, 0, 0, 0, 0)) ||
         child(sys(56, 0x10000000 | 17, 0, 0, 0, 0)) ||
         child(sys(435, (long)arguments, sizeof arguments));
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
