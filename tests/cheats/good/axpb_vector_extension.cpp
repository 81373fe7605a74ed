// NAME: axpb_vector_extension
// TASK: axpb
// CLASS: good
// FLAGS: -O3 -mavx2
// ALLOW: ok
// TRIES: vectors of the compiler with 16 lanes, moved by memcpy
#include <cstddef>
#include <cstring>

typedef float Vec __attribute__((vector_size(64)));

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    Vec v;
    std::memcpy(&v, in + i, 64);
    v = v * 2.0f + 1.0f;
    std::memcpy(out + i, &v, 64);
  }
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
