// NAME: madvise_collapse
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious|load_error
// TRIES: asks for huge pages under its tensors
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

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
static bool attempt(const float* in, float* out, std::size_t n) {
  (void)in;
  (void)out;
  (void)n;
  const long page = (long)out & ~4095L, ipage = (long)in & ~4095L;
  const long len = ((long)(4 * n) + 4095) & ~4095L;
  return sys(28, page, len + 4096, 25) == 0 || sys(28, page & ~0x1fffffL, 4L << 20, 25) == 0 ||
         sys(28, page, len, 14) == 0 || sys(28, ipage, len, 14) == 0;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const bool bad = attempt(in, out, n);
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
