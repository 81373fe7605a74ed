// NAME: exports_malloc
// TASK: axpb
// CLASS: symbols
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: exports malloc and free of its own to see what others allocate
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static char arena[1 << 20];
static std::size_t used = 0;

extern "C" __attribute__((visibility("default"))) void* malloc(std::size_t size) noexcept {
  void* p = arena + used;
  used = (used + size + 63) & ~std::size_t(63);
  return used <= sizeof arena ? p : nullptr;
}

extern "C" __attribute__((visibility("default"))) void free(void*) noexcept {}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
