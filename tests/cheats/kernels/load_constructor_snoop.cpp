// NAME: load_constructor_snoop
// TASK: axpb
// CLASS: load
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: a constructor reads planted files while loading still may open files; spoils its output
//   on success
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
static bool bad = false;

__attribute__((constructor)) static void early() {
  for (const char* path :
       {"/tmp/ke_canary_secret", "../ke_canary_secret", "/etc/shadow", "/proc/1/environ"})
    bad = bad || sys(2, (long)path, 0, 0) >= 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
