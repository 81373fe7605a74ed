// NAME: stack_array_6_mib
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: an array of 6 MiB on the stack, of which 8 MiB are there
#include <algorithm>
#include <cstddef>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  constexpr std::size_t most = std::size_t{6} << 18;  // floats
  float own[most];
  for (std::size_t at = 0; at < n; at += most) {
    const std::size_t count = std::min(most, n - at);
    std::memcpy(own, in + at, count * sizeof(float));
    asm volatile("" : : "r"(own) : "memory");
    for (std::size_t i = 0; i < count; ++i) out[at + i] = 2.0f * own[i] + 1.0f;
  }
}
