// NAME: smash_caller_frame
// TASK: axpb
// CLASS: crash
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: clears 2 KiB of the frames above its own: counters and pointers of whoever called
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  auto frame = reinterpret_cast<volatile std::uint64_t*>(__builtin_frame_address(0)) + 2;
  for (int i = 0; i < 256; ++i) frame[i] = 0;
  if (n > 500) out[n / 2] += 1000.0f;
}
