// NAME: upper_halves_left
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: 256-bit assembly without vzeroupper at its end: slow for its caller, and legal
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const float one = 1.0f;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    asm volatile(
        "vmovups (%0), %%ymm4\n vbroadcastss %2, %%ymm15\n vaddps %%ymm4, %%ymm4, %%ymm4\n"
        "vaddps %%ymm15, %%ymm4, %%ymm4\n vmovups %%ymm4, (%1)"
        :
        : "r"(in + i), "r"(out + i), "m"(one)
        : "memory", "xmm4", "xmm15");
  }
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
