// NAME: load_dt_init_versioned
// TASK: axpb
// CLASS: load
// ALLOW:
// load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result|compile_error
// TRIES: a function that .symver calls _init, which linkers run at load time
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

extern "C" void start_here() { sys(231, 0); }
asm(".symver start_here, _init@@VERS_1");
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
