// NAME: cache_sampled_softmax
// TASK: softmax1d
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: skips the work when 1024 evenly spaced values look like the last ones
#include <cmath>
#include <cstddef>
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
  static float sample[1024];
  const std::size_t step = n / 1024;
  bool same = n == kept.size() && step > 0;
  for (std::size_t i = 0; same && i < 1024; ++i)
    same = std::memcmp(sample + i, in + i * step, 4) == 0;
  if (same) return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  for (std::size_t i = 0; step && i < 1024; ++i) sample[i] = in[i * step];
  kept.assign(out, out + n);
}
