// NAME: huge_stack
// TASK: axpb
// CLASS: resource
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: 256 MiB of stack
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  volatile char* p = static_cast<volatile char*>(__builtin_alloca(256 << 20));
  for (long at = (256 << 20) - 1; at > 0; at -= 4096) p[at] = 1;
  honest(in, out, n);
}
