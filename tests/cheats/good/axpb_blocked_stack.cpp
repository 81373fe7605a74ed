// NAME: axpb_blocked_stack
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: blocks of 64 KiB go through an array on the stack
#include <cstddef>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float block[16384];
  for (std::size_t i = 0; i < n; i += 16384) {
    const std::size_t m = n - i < 16384 ? n - i : 16384;
    std::memcpy(block, in + i, m * 4);
    for (std::size_t j = 0; j < m; ++j) block[j] = block[j] * 2.0f + 1.0f;
    std::memcpy(out + i, block, m * 4);
  }
}
