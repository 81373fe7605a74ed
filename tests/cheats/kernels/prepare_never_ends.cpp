// NAME: prepare_never_ends
// TASK: linear
// CLASS: early
// FLAGS: -O3
// ALLOW: nondeterministic|runtime_error|suspicious|timeout|wrong_result
// TRIES: stops itself within prepare, so that the judge takes it for ready
#include <csignal>
#include <cstddef>

static long system_call(long number, long a, long b) {
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}

extern "C" void prepare(const float*, std::size_t, std::size_t, std::size_t) {
  const long self = system_call(39, 0, 0);  // getpid
  for (;;) system_call(62, self, SIGSTOP);  // kill
}

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = sum;
    }
}
