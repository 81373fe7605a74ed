// NAME: writes_whole_vectors
// TASK: sum1d
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
// TRIES: writes 16 values although the output has one
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float total;
  honest(in, &total, n);
  volatile float* p = out;
  for (int i = 0; i < 32; ++i) p[i] = total;
}
