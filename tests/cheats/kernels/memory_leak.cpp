// NAME: memory_leak
// TASK: axpb
// CLASS: resource
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: leaks a touched megabyte a call, 3 GiB at most
#include <cstddef>
#include <cstdlib>
#include <cstring>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

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
