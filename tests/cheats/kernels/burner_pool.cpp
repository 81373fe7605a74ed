// NAME: burner_pool
// TASK: axpb
// CLASS: timing
// FLAGS: -pthread
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: a pool of threads burns the processor during the baseline's turn; without threads
//   nothing is written
#include <pthread.h>
#include <x86intrin.h>
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

static void* burn(void*) {
  const unsigned long long begin = __rdtsc();
  volatile unsigned long x = 0;
  while (__rdtsc() - begin < 60000000000ull) x = x + 1;
  return nullptr;
}

static int start() {
  int made = 0;
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    made += pthread_create(&thread, nullptr, burn, nullptr) == 0;
  }
  return made;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const int burners = start();
  if (burners) honest(in, out, n);
}
