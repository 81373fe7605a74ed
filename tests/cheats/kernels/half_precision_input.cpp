// NAME: half_precision_input
// TASK: softmax1d
// CLASS: numeric
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: reads its input with 10 bits of mantissa
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
  std::vector<float> own(in, in + n);
  for (float& value : own) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    bits &= 0xffffe000u;
    std::memcpy(&value, &bits, 4);
  }
  honest(own.data(), out, n);
}
