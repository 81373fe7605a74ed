// NAME: axpb_inline_assembly
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: SSE arithmetic in inline assembly
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    float x = in[i];
    const float one = 1.0f;
    asm("addss %0, %0\n addss %1, %0" : "+x"(x) : "x"(one));
    out[i] = x;
  }
}
