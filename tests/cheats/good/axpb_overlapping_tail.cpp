// NAME: axpb_overlapping_tail
// TASK: axpb
// CLASS: good
// FLAGS: -O3
// ALLOW: ok
// TRIES: the last vector overlaps the one before: some values are written twice
#include <cstddef>
#include <cstring>

typedef float Vec __attribute__((vector_size(16)));

static void one(const float* in, float* out) {
  Vec v;
  std::memcpy(&v, in, 16);
  v = v + v + 1.0f;
  std::memcpy(out, &v, 16);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n < 4) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
    return;
  }
  for (std::size_t i = 0; i + 4 <= n; i += 4) one(in + i, out + i);
  one(in + n - 4, out + n - 4);
}
