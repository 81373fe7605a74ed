// NAME: bf16_rounding
// TASK: axpb
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: works in bfloat16
#include <cstddef>
#include <cstdint>
#include <cstring>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, out + i, 4);
    bits &= 0xffff0000u;
    std::memcpy(out + i, &bits, 4);
  }
}
