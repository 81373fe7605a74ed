// NAME: returns_to_grandcaller
// TASK: axpb
// CLASS: early
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: throws its caller's frame away and goes on at the first code address found above it
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n < 1000 ? n : n / 2);
  auto frame = reinterpret_cast<std::uintptr_t*>(__builtin_frame_address(0));
  const std::uintptr_t code = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  for (int i = 2; i < 512; ++i)
    if (frame[i] - code + 0x10000 < 0x20000 && frame[i] != code)
      asm volatile("lea 8(%0), %%rsp\n jmp *(%0)" : : "r"(frame + i) : "memory");
}
