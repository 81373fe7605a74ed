// NAME: guards_unprotected
// TASK: axpb
// CLASS: bounds
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious
// TRIES: makes the guard pages around the output accessible; spoils its output if that worked
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
static float* target = nullptr;
static std::size_t size = 0;

static bool attempt() {
  const long begin = reinterpret_cast<long>(target) & ~4095L;
  const long end = (reinterpret_cast<long>(target + size) + 4095) & ~4095L;
  bool bad = false;
  for (const long page : {begin - 4096, end})
    if (sys(10, page, 4096, 3) == 0) {
      volatile char* p = reinterpret_cast<volatile char*>(page);
      char old = *p;
      *p = static_cast<char>(old + 1);
      *p = old;
      bad = true;
    }
  return bad;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  target = out, size = n;
  const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}
