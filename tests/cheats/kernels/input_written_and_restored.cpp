// NAME: input_written_and_restored
// TASK: axpb
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
// TRIES: writes to the input and puts it back before it returns
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (!n) return;
  volatile float* w = const_cast<float*>(in);
  const float old = w[0];
  w[0] = old + 1;
  w[0] = old;
}
