// NAME: include_digraph
// TASK: axpb
// CLASS: compile
// ALLOW: rejected|compile_error
// TRIES: the same with a digraph and a parent folder
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
// clang-format off
%:include "../../../../../../../tmp/ke_canary_secret"
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
