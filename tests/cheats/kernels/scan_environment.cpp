// NAME: scan_environment
// TASK: axpb
// CLASS: snoop
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: searches the top of its stack for a planted environment variable
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
// rt_sigprocmask with an unknown command reads 8 bytes first: EFAULT tells what cannot be read.

static bool readable(const void* p) { return sys(14, 99, reinterpret_cast<long>(p), 0, 8) != -14; }

static bool attempt() {
  auto p = static_cast<const char*>(__builtin_frame_address(0));
  const char code[] = {'L' - 1, 'F' - 1, '_',     'D' - 1, 'B' - 1, 'O' - 1,
                       'B' - 1, 'S' - 1, 'Z' - 1, '_',     'Y' - 1};
  for (; readable(p + 16); ++p) {
    int same = 0;
    while (same < 11 && p[same] == code[same]) ++same;
    if (same == 11 && p[11] == '=') return true;
  }
  return false;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
