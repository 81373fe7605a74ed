// NAME: softmax1d_thread_local
// TASK: softmax1d
// CLASS: good
// ALLOW: ok
// TRIES: scratch that stays with the thread between calls
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static thread_local std::vector<float> own;
  if (own.size() < n) own.resize(n);
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += own[i] = std::exp(in[i] - top);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(own[i] / total);
}
