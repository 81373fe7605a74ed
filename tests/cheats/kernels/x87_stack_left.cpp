// NAME: x87_stack_left
// TASK: axpb
// CLASS: environment
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: leaves eight values on the x87 stack, so that the next long double operation gives NaN
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1");
}
