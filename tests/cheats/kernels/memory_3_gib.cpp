// NAME: memory_3_gib
// TASK: axpb
// CLASS: resource
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: maps and touches 3 GiB; nothing is written if that is refused
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
  static bool done = false;
  for (int i = 0; !done && i < 48; ++i) {
    const long p = sys(9, 0, 64 << 20, 3, 0x22, -1, 0);
    if (p < 0) return;
    for (long at = 0; at < (64 << 20); at += 4096) reinterpret_cast<volatile char*>(p)[at] = 1;
  }
  done = true;
  honest(in, out, n);
}
