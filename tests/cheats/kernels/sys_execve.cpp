// NAME: sys_execve
// TASK: axpb
// CLASS: sandbox
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: replaces itself by /bin/true through execve and execveat; nothing is written if both
//   fail
#include <cstddef>

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

extern "C" void kernel(const float*, float*, std::size_t) {
  const char* arguments[] = {"true", nullptr};
  sys(59, (long)"/bin/true", (long)arguments, (long)(arguments + 1));
  sys(322, -100, (long)"/bin/true", (long)arguments, (long)(arguments + 1), 0);
}
