// NAME: stop_site_jump
// TASK: axpb
// CLASS: early
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: looks for syscall instructions in the caller's code and stops itself through one of
//   them before the work
#include <cstddef>
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

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
// rt_sigprocmask with an unknown command reads 8 bytes first: EFAULT tells what cannot be read.

static bool readable(const void* p) { return sys(14, 99, reinterpret_cast<long>(p), 0, 8) != -14; }

static const unsigned char* site(const unsigned char* from) {
  for (long d = 0; d < 65536; ++d)
    for (const unsigned char* p : {from + d, from - d})
      if (readable(p) && readable(p + 8) && p[0] == 0x0f && p[1] == 0x05) return p;
  return nullptr;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const unsigned char* where =
      site(static_cast<const unsigned char*>(__builtin_return_address(0)));
  if (!where) return;
  asm volatile("call *%0"
               :
               : "r"(where), "a"(62L), "D"(sys(39)), "S"(19L)
               : "rcx", "r11", "memory");
  honest(in, out, n);
}
