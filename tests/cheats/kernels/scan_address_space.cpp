// NAME: scan_address_space
// TASK: axpb
// CLASS: snoop
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: walks the pages around its buffers, and through all address sets, for the expected
//   result; zeros if there is none
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

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
  if (n < 8 || n > 5000) return;
  for (const float* base : {in, static_cast<const float*>(out)}) {
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(base) & ~std::uintptr_t(4095);
    for (long d = -2048; d < 2048; ++d) {
      auto p = reinterpret_cast<const float*>(page + d * 4096);
      if (!readable(p)) continue;
      for (int i = 0; i < 1016; i += 4)
        if (p + i != out && p[i] == 2 * in[0] + 1 && p[i + 1] == 2 * in[1] + 1 &&
            readable(p + i + n))
          return void(std::memcpy(out, p + i, n * 4));
    }
  }
}
