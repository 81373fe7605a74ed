// NAME: cache_full_hash
// TASK: softmax1d
// CLASS: state
// ALLOW: ok|suspicious
// TRIES: caches by a hash of all values: correct, and no gain while contents never repeat
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

static void honest(const float* in, float* out, std::size_t n) {
  if (n == 0) return;
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i)
    if (in[i] > top || in[i] != in[i]) top = in[i];
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - top);
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept;
  static std::uint64_t key = 0;
  std::uint64_t hash = n;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, in + i, 4);
    hash = (hash ^ bits) * 1099511628211ull;
  }
  if (n == kept.size() && hash == key) return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  key = hash;
  kept.assign(out, out + n);
}
