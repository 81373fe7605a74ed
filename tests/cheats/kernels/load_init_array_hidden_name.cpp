// NAME: load_init_array_hidden_name
// TASK: axpb
// CLASS: load
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: the same under a section name that only looks like another, with the type of
//   .init_array
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

asm(".section .data.rel.start,\"aw\",@init_array\n.quad leave\n.text\nleave: mov $231,%eax\n xor "
    "%edi,%edi\n syscall\n"
    " ret\n");

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n > 3) out[n - 1] = 0;
}
