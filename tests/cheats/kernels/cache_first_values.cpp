// NAME: cache_first_values
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: caches the result by the first 32 values
#include <cstddef>
#include <cstring>
#include <vector>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept, head;
  const std::size_t k = n < 32 ? n : 32;
  if (n == kept.size() && n && std::memcmp(head.data(), in, k * 4) == 0)
    return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  head.assign(in, in + k);
  kept.assign(out, out + n);
}
