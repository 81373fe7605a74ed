// NAME: int16_counter
// TASK: axpb
// CLASS: shape
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: counts in 16 bits: right up to 65535 values
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, static_cast<std::uint16_t>(n) == n ? n : 65535);
}
