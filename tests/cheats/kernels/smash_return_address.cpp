// NAME: smash_return_address
// TASK: axpb
// CLASS: crash
// ALLOW: runtime_error
// TRIES: overwrites its return address
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  auto slot = reinterpret_cast<volatile std::uintptr_t*>(__builtin_frame_address(0)) + 1;
  *slot = 0x4141414141414141;
}
