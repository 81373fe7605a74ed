// NAME: load_symver_system
// TASK: axpb
// CLASS: symbols
// ALLOW:
// load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|timeout|wrong_result|compile_error
// TRIES: needs system@GLIBC_2.2.5 under a versioned name
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" int run_it(const char*);
asm(".symver run_it, system@GLIBC_2.2.5");
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n == 1) out[0] += run_it("true") == 0;
}
