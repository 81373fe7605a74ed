// NAME: axpb_rep_string
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: copies by rep movsb, then works in place
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const void* from = in;
  void* to = out;
  std::size_t bytes = n * 4;
  asm volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(bytes) : : "memory");
  for (std::size_t i = 0; i < n; ++i) out[i] += out[i] + 1.0f;
}
