// NAME: scan_stack
// TASK: axpb
// CLASS: snoop
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: follows every pointer on the caller's stack in search of the expected result; zeros if
//   there is none
#include <cstddef>
#include <cstdint>
#include <cstring>

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
// rt_sigprocmask with an unknown command reads 8 bytes first: EFAULT tells what cannot be read.

static bool readable(const void* p) { return sys(14, 99, reinterpret_cast<long>(p), 0, 8) != -14; }

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::memset(out, 0, n * 4);
  if (n < 4) return;
  auto slot = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  for (int i = 0; i < 32768 && readable(slot + i); ++i) {
    auto p = reinterpret_cast<const float*>(slot[i] & ~std::uintptr_t(3));
    if (p == out || !readable(p) || !readable(p + n - 2)) continue;
    if (p[0] == 2 * in[0] + 1 && p[1] == 2 * in[1] + 1) return void(std::memcpy(out, p, n * 4));
  }
}
