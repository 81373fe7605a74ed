// NAME: descriptor_tamper
// TASK: axpb
// CLASS: snoop
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: writes to, truncates, seals and maps writable every descriptor it inherited
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
  bool bad = false;
  const char byte = 0;
  for (long fd = 3; fd < 256; ++fd) {
    bad |= sys(18, fd, (long)&byte, 1, 0) > 0;
    bad |= sys(77, fd, 4096) == 0;
    bad |= sys(9, 0, 4096, 3, 1, fd, 0) > 0;
  }
  return bad;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
