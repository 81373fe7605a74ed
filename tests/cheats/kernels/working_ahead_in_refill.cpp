// NAME: working_ahead_in_refill
// TASK: axpb
// CLASS: early
// FLAGS: -pthread
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: a pool thread keeps computing the last known buffers while inputs are refilled; calls
//   return at once
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
static const float* volatile input;
static float* volatile output;
static volatile std::size_t count;

static void* worker(void*) {
  for (;;) {
    if (input) honest(input, output, count);
    sys(24);
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
}
