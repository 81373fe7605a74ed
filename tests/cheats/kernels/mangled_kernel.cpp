// NAME: mangled_kernel
// TASK: axpb
// CLASS: symbols
// ALLOW: rejected|load_error|compile_error
// TRIES: forgets extern "C"
#include <cstddef>

void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
