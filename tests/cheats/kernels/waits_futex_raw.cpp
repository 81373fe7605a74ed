// NAME: waits_futex_raw
// TASK: axpb
// CLASS: sandbox
// ALLOW: rejected|runtime_error|suspicious
// TRIES: waits 50 us on a futex that nobody wakes
#include <cstddef>

static long raw(long number, long a, long b, long c, long d) {
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
               : "rcx", "r11", "memory");
  return result;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  int word = 0;
  const long time[2] = {0, 50000};
  raw(202, (long)&word, 128, 0, (long)time);
}
