// NAME: stop_pid_swap
// TASK: axpb
// CLASS: early
// ALLOW:
// ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result
// TRIES: exchanges the process id that the caller stops for 0: the stop fails, and the caller goes
// on
#include <cstddef>
#include <cstdint>

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
static bool readable(std::uint64_t address) { return sys(14, 99, (long)address, 0, 8) == -22; }
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  std::uint64_t* frame = (std::uint64_t*)__builtin_frame_address(0);
  const std::uint64_t pid = sys(39);
  for (int i = 0; i < 400 && readable((std::uint64_t)(frame + i)); ++i)
    if (frame[i] == pid) frame[i] = 0;
}
