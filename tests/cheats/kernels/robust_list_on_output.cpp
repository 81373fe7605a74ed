// NAME: robust_list_on_output
// TASK: axpb
// CLASS: sandbox
// ALLOW:
// ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result
// TRIES: hangs a robust futex list on its output, so that the kernel writes there when the process
// ends
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

struct Head {
  void* next;
  long offset;
  void* pending;
};
static Head head;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n < 64) return;
  head.next = &head;
  head.offset = 0;
  head.pending = out;
  sys(273, (long)&head, sizeof head);
}
