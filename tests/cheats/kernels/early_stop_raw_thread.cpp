// NAME: early_stop_raw_thread
// TASK: axpb
// CLASS: early
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: a thread made by a raw clone with the flags of pthread_create stops the process early
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
static char stack[65536] __attribute__((aligned(64)));
static volatile int go = 0, alive = 0;

static void stopper() {
  alive = 1;
  for (;;) {
    while (!go) sys(24);
    go = 0;
    sys(62, sys(39), 19);
  }
}

static long start() {
  long id;
  static int word = 0;
  void** top = reinterpret_cast<void**>(stack + sizeof stack - 64);
  *top = reinterpret_cast<void*>(&stopper);
  register long r10 asm("r10") = (long)&word;
  register long r8 asm("r8") = 0;
  asm volatile("syscall\n test %%rax, %%rax\n jnz 1f\n pop %%rax\n call *%%rax\n 1:"
               : "=a"(id)
               : "a"(56L), "D"(0x350f00L & ~0x80000L), "S"(top), "d"((long)&word), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return id;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const long id = start();
  if (id <= 0) return;
  while (!alive) {
  }
  go = 1;
  honest(in, out, n);
}
