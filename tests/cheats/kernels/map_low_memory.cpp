// NAME: map_low_memory
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: asks for memory below 2 GiB by MAP_32BIT, a wish for a place that is no MAP_FIXED, and for
//   memory that grows downwards; spoils its output if it got the first
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

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool tried = false, bad = false;
  honest(in, out, n);
  if (!tried) {
    const long low = sys(9, 0, 4096, 3, 0x22 | 0x40, -1, 0);
    sys(9, 0, 4096, 3, 0x22 | 0x100, -1, 0);
    bad = low > 0 && low < (1L << 32);
  }
  tried = true;
  if (bad && n) out[0] += 1000.0f;
}
