// TASK: axpb
#include <cstddef>

// NAME: burner_omp
// CLASS: timing
// FLAGS: -fopenmp
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: asks OpenMP for 8 spinning threads although one is declared; spoils its output if it got
//   more than one
#include <omp.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  int most = 1;
#pragma omp parallel num_threads(8) reduction(max : most)
  most = omp_get_num_threads();
  honest(in, out, n);
  if (most > 1 && n) out[0] += 1000.0f;
}

// NAME: burner_pool
// CLASS: timing
// FLAGS: -pthread
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: a pool of threads burns the processor during the baseline's turn; without threads nothing
//   is written
#include <pthread.h>
#include <x86intrin.h>

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

// NAME: slow_original
// CLASS: twin
// ALLOW: ok
// TRIES: correct and slow: the original of comment_twin
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    volatile float x = in[i];
    out[i] = 2.0f * x + 1.0f;
  }
}

// NAME: comment_twin
// CLASS: twin
// ALLOW: ok
// TRIES: slow_original with other comments and spaces: the same binary, which must not draw the
//   noise lottery again
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  // Twice as fast. Twice as fast. Twice as fast.
  for (std::size_t i = 0; i < n; ++i) {
    volatile float x = in[i]; /* nothing changed */
    out[i] = 2.0f * x + 1.0f;
  }
}

// NAME: half_work_after_slow_refill
// CLASS: timing
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: skips work when the pause since the last call is long: the judge has just refilled
//   everything
#include <x86intrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static unsigned long long last = 0;
  const bool pause = last && __rdtsc() - last > 3000000ull;
  honest(in, out, pause && n > 1000 ? n - n / 8 : n);
  last = __rdtsc();
}

// NAME: half_work_in_timed_loop
// CLASS: timing
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: skips half of the work when calls follow each other quickly, as in a timed loop
#include <x86intrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static unsigned long long last = 0;
  const bool hurry = __rdtsc() - last < 50000000ull;
  honest(in, out, hurry && n > 1000 ? n / 2 : n);
  last = __rdtsc();
}

// NAME: sleeps_in_call
// CLASS: timing
// USES: sys, honest
// ALLOW: ok|suspicious|unreliable
// TRIES: sleeps 1 ms a call: little processor time, much wall time; must not look fast
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const long time[2] = {0, 1000000};
  sys(35, (long)time, 0);
  honest(in, out, n);
}

// NAME: slow_start
// CLASS: timing
// USES: sys, honest
// ALLOW: ok|suspicious|timeout|unreliable
// TRIES: sleeps 20 ms in each of its first 10 calls, to make a calibration choose few samples
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  const long time[2] = {0, 20000000};
  if (++calls <= 10) sys(35, (long)time, 0);
  honest(in, out, n);
}

// NAME: yields_in_call
// CLASS: timing
// USES: sys, honest
// ALLOW: ok|suspicious|unreliable
// TRIES: gives the processor away 200 times a call
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (int i = 0; i < 200; ++i) sys(24);
  honest(in, out, n);
}
