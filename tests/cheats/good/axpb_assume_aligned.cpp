// NAME: axpb_assume_aligned
// TASK: axpb
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: relies on the declared alignment of 64 bytes and on no overlap
#include <cstddef>

extern "C" void kernel(const float* __restrict in, float* __restrict out, std::size_t n) {
  auto a = static_cast<const float*>(__builtin_assume_aligned(in, 64));
  auto b = static_cast<float*>(__builtin_assume_aligned(out, 64));
  for (std::size_t i = 0; i < n; ++i) b[i] = 2.0f * a[i] + 1.0f;
}
