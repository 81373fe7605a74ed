// NAME: input_cleared
// TASK: axpb
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
// TRIES: clears the input after use, so that whoever reads it next reads zeros
#include <cstddef>
#include <cstring>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  std::memset(const_cast<float*>(in), 0, n * 4);
}
