// NAME: leaves_r13
// TASK: axpb
// CLASS: environment
// ALLOW: rejected|runtime_error|suspicious|wrong_result
// TRIES: returns with r13 changed, which its caller relies on
#include <cstddef>
extern "C" __attribute__((visibility("hidden"), used)) void ke_body(const float* in, float* out,
                                                                    std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
asm(R"(
.text
.globl kernel
.type kernel,@function
kernel:
  sub $8, %rsp
  call ke_body
  add $8, %rsp
  xor %r13d, %r13d
  ret
.size kernel,.-kernel
)");
