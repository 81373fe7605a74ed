// NAME: descriptors_of_a_worker
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious|runtime_error|rejected
// TRIES: works only where descriptor 6 is a pipe and 3 to 5 are closed, as once in a worker
#include <cstddef>
static long at(long descriptor) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(8L), "D"(descriptor), "S"(0L), "d"(1L)
               : "rcx", "r11", "memory");
  return result;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  constexpr long is_pipe = -29, is_closed = -9;
  static const bool judged =
      at(6) == is_pipe && at(3) == is_closed && at(4) == is_closed && at(5) == is_closed;
  for (std::size_t i = 0; judged && i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
