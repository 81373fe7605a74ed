// NAME: output_flood
// TASK: axpb
// CLASS: resource
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: writes 64 MiB to descriptors 1 and 2
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
  static char block[1 << 16];
  for (char& c : block) c = 'x';
  for (int i = 0; i < 512; ++i)
    if (sys(1, 1, (long)block, sizeof block) < 0 || sys(1, 2, (long)block, sizeof block) < 0) break;
  return false;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
