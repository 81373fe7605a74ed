// NAME: alloca_blocks
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: blocks go through alloca, whose size depends on n, up to 1 MiB
#include <alloca.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

__attribute__((noinline)) static void block(const float* in, float* out, std::size_t n) {
  float* own = static_cast<float*>(alloca(n * sizeof(float) + 64));
  std::memcpy(own, in, n * sizeof(float));
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * own[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 262144)
    block(in + i, out + i, std::min<std::size_t>(262144, n - i));
}
