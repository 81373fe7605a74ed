// NAME: axpb_signals_blocked
// TASK: axpb
// CLASS: environment
// FLAGS: -O3 -march=native
// ALLOW: rejected|runtime_error|suspicious
// TRIES: leaves the caller's signals blocked
#include <cstddef>
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  unsigned long all = ~0UL;
  long result;
  asm volatile("mov $8, %%r10\n\tsyscall"
               : "=a"(result)
               : "a"(14L), "D"(0L), "S"(&all), "d"(0L)
               : "rcx", "r11", "r10", "memory");
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}
