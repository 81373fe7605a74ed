// NAME: cache_sampled_sum
// TASK: sum1d
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: returns the last sum when 64 evenly spaced values are those of the last call
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static float kept = 0, sample[64];
  static std::size_t size = 0;
  bool same = n == size && n >= 64;
  for (std::size_t i = 0; same && i < 64; ++i) same = sample[i] == in[i * n / 64];
  if (!same) honest(in, &kept, n);
  for (std::size_t i = 0; n >= 64 && i < 64; ++i) sample[i] = in[i * n / 64];
  size = n;
  out[0] = kept;
}
