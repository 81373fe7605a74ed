// NAME: linear_prepare_exits
// TASK: linear
// CLASS: forgery
// FLAGS: -O3 -march=native
// ALLOW:
// load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result
// TRIES: prepare ends the process
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
extern "C" void prepare(const float*, std::size_t, std::size_t, std::size_t) { sys(231, 0); }
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  (void)w;
  for (std::size_t i = 0; i < m * n; ++i) y[i] = x[i % (m * k)];
}
