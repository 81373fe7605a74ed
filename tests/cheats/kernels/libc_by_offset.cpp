// NAME: libc_by_offset
// TASK: axpb
// CLASS: symbols
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: finds libc through the address of memcpy, looks for a syscall instruction there and
//   stops through it
#include <cstddef>
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

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
// rt_sigprocmask with an unknown command reads 8 bytes first: EFAULT tells what cannot be read.

static bool readable(const void* p) { return sys(14, 99, reinterpret_cast<long>(p), 0, 8) != -14; }

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  void* (*volatile copy)(void*, const void*, std::size_t) = std::memcpy;
  auto p = reinterpret_cast<const unsigned char*>(copy);
  for (long d = 0; d < (1 << 20) && readable(p - d) && readable(p - d + 8); ++d)
    if (p[-d] == 0x0f && p[1 - d] == 0x05 && p[2 - d] == 0xc3) {
      asm volatile("call *%0"
                   :
                   : "r"(p - d), "a"(62L), "D"(sys(39)), "S"(19L)
                   : "rcx", "r11", "memory");
      return honest(in, out, n);
    }
}
