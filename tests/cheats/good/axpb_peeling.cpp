// NAME: axpb_peeling
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: peels to a 32-byte boundary of the output, then unrolls by 4
#include <cstddef>
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i < n && reinterpret_cast<std::uintptr_t>(out + i) % 32; ++i) out[i] = 2.0f * in[i] + 1.0f;
  for (; i + 4 <= n; i += 4) {
    out[i] = 2.0f * in[i] + 1.0f;
    out[i + 1] = 2.0f * in[i + 1] + 1.0f;
    out[i + 2] = 2.0f * in[i + 2] + 1.0f;
    out[i + 3] = 2.0f * in[i + 3] + 1.0f;
  }
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
