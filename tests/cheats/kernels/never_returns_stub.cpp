// NAME: never_returns_stub
// TASK: axpb
// CLASS: early
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: moves to a stack of its own, never returns there, and answers by stopping at the
//   caller's stack pointer
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
static char own_stack[1 << 16] __attribute__((aligned(64)));
static const float* input;
static float* output;
static std::size_t count;
static void* caller_stack;

static void serve() {
  for (;;) {
    honest(input, output, count);
    asm volatile(
        "mov %%rsp, %%r12\n mov %0, %%rsp\n"
        "mov $39, %%eax\n syscall\n mov %%rax, %%rdi\n mov $19, %%esi\n mov $62, %%eax\n syscall\n"
        "mov %%r12, %%rsp"
        :
        : "r"(caller_stack)
        : "rax", "rdi", "rsi", "rcx", "r11", "r12", "memory");
  }
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  input = in, output = out, count = n;
  caller_stack = __builtin_frame_address(0);
  asm volatile("mov %0, %%rsp\n call *%1" : : "r"(own_stack + sizeof own_stack - 64), "r"(&serve));
}
