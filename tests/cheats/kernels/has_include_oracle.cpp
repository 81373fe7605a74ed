// NAME: has_include_oracle
// TASK: axpb
// CLASS: compile
// ALLOW: ok|rejected|runtime_error|resource_limit|suspicious|compile_error
// TRIES: spoils its output if the oracle's source stands where the compiler can read it
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
#if __has_include("reference.cpp") || __has_include("task.yaml") || __has_include("naive.cpp")
#define SEEN 1
#else
#define SEEN 0
#endif

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (SEEN && n) out[0] += 1000.0f;
}
