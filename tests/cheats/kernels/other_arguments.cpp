// NAME: other_arguments
// TASK: axpb
// CLASS: symbols
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: declares its arguments in another order
#include <cstddef>

extern "C" void kernel(std::size_t n, const float* in, float* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
