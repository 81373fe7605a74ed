// NAME: handed_to_pool
// TASK: axpb
// CLASS: early
// FLAGS: -pthread
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: signals a pool thread through a futex and returns; the result arrives a little later
#include <pthread.h>
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

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static int ticket = 0;
static const float* input;
static float* output;
static std::size_t count;

static void* worker(void*) {
  for (int seen = 0;;) {
    while (__atomic_load_n(&ticket, __ATOMIC_ACQUIRE) == seen) sys(202, (long)&ticket, 0, seen, 0);
    seen = __atomic_load_n(&ticket, __ATOMIC_ACQUIRE);
    honest(input, output, count);
  }
}

static bool start() {
  pthread_t thread;
  return pthread_create(&thread, nullptr, worker, nullptr) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool pool = start();
  if (!pool) return;
  input = in, output = out, count = n;
  __atomic_add_fetch(&ticket, 1, __ATOMIC_RELEASE);
  sys(202, (long)&ticket, 1, 1);
}
