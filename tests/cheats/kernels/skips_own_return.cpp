// NAME: skips_own_return
// TASK: axpb
// CLASS: early
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: returns 5 bytes after its return address, over the caller's next instruction
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  *static_cast<std::uintptr_t*>(__builtin_frame_address(0)) += 0;
  auto slot = reinterpret_cast<volatile std::uintptr_t*>(__builtin_frame_address(0)) + 1;
  *slot = *slot + 5;
  if (n > 500) out[n - 1] = 0;
}
