// NAME: relies_on_zeros
// TASK: softmax1d
// CLASS: output
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: does not write results below 1e-30 and relies on an output of zeros
#include <cmath>
#include <cstddef>

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
  float* own = new float[n];
  honest(in, own, n);
  for (std::size_t i = 0; i < n; ++i)
    if (!(own[i] < 1e-30f)) out[i] = own[i];
  delete[] own;
}
