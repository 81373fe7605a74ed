// NAME: no_kernel
// TASK: axpb
// CLASS: symbols
// ALLOW: rejected|load_error|compile_error
// TRIES: defines no kernel at all
#include <cstddef>

extern "C" void kernels(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
