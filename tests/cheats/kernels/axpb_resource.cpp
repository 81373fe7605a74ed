// TASK: axpb
// CLASS: resource
#include <cstddef>

// NAME: endless_loop
// USES: honest
// ALLOW: timeout
// TRIES: never ends
static volatile int forever = 1;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  while (forever) {
  }
  honest(in, out, n);
}

// NAME: huge_bss
// FLAGS: -mcmodel=large
// USES: honest
// ALLOW: compile_error|compile_limit|load_error|nondeterministic|rejected|resource_limit|
//   runtime_error|suspicious|timeout|wrong_result
// TRIES: 8 GiB of static zeros, touched here and there
static char zeros[8ull << 30];

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile char* p = zeros;
  p[(n * 4096) % sizeof zeros] = 1;
  if (n) out[0] += 1000.0f;
}

// NAME: huge_stack
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: 256 MiB of stack
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  volatile char* p = static_cast<volatile char*>(__builtin_alloca(256 << 20));
  for (long at = (256 << 20) - 1; at > 0; at -= 4096) p[at] = 1;
  honest(in, out, n);
}

// NAME: large_static_data
// USES: honest
// ALLOW: ok|compile_error|compile_limit|load_error|nondeterministic|rejected|resource_limit|
//   runtime_error|suspicious|timeout|wrong_result
// TRIES: 200 MiB of static data in the file
static volatile int data[50 << 20] = {1};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (data[n % (50 << 20)] == 7 && n) out[0] = 0;
}

// NAME: loops_at_call_40
// USES: honest
// ALLOW: timeout
// TRIES: an endless loop at its 40th call
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  honest(in, out, n);
  if (++calls == 40)
    for (volatile int x = 0;; x = x + 1) {
    }
}

// NAME: memory_3_gib
// USES: sys, honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: maps and touches 3 GiB; nothing is written if that is refused
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool done = false;
  for (int i = 0; !done && i < 48; ++i) {
    const long p = sys(9, 0, 64 << 20, 3, 0x22, -1, 0);
    if (p < 0) return;
    for (long at = 0; at < (64 << 20); at += 4096) reinterpret_cast<volatile char*>(p)[at] = 1;
  }
  done = true;
  honest(in, out, n);
}

// NAME: memory_leak
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: leaks a touched megabyte a call, 3 GiB at most
#include <cstdlib>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  if (++calls <= 3000) {
    void* p = std::malloc(1 << 20);
    if (!p) return;
    std::memset(p, 1, 1 << 20);
    asm volatile("" : : "r"(p) : "memory");
  }
  honest(in, out, n);
}

// NAME: output_flood
// USES: sys, honest, attempt_kernel
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: writes 64 MiB to descriptors 1 and 2
static bool attempt() {
  static char block[1 << 16];
  for (char& c : block) c = 'x';
  for (int i = 0; i < 512; ++i)
    if (sys(1, 1, (long)block, sizeof block) < 0 || sys(1, 2, (long)block, sizeof block) < 0) break;
  return false;
}

// NAME: quadratic
// ALLOW: ok|timeout|unreliable
// TRIES: right, and a million times too slow for large sizes
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    volatile std::size_t j = 0;
    while (j < i) j = j + 1;
    out[i] = 2.0f * in[i] + 1.0f;
  }
}

// NAME: recursion_bomb
// USES: honest
// ALLOW: resource_limit|runtime_error|timeout
// TRIES: recurses without end
__attribute__((noinline)) static int deeper(volatile int* above) {
  volatile int here[64] = {*above};
  return deeper(here) + here[0];
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  volatile int start = 1;
  if (deeper(&start) != 12345) honest(in, out, n);
}
