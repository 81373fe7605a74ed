// NAME: exports_operator_new
// TASK: sum1d
// CLASS: symbols
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: replaces operator new
#include <cstddef>
#include <new>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}
static char arena[1 << 16];
void* operator new(std::size_t) { return arena; }
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
