// NAME: limit_text_forged
// TASK: axpb
// CLASS: compile
// ALLOW: compile_error|rejected
// TRIES: an ordinary error whose text is the one by which the judge knows a compiler that ran out
// of
//   memory: compile_limit would be forged, and is neither remembered nor cached
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static_assert(sizeof(int) == 5, "out of memory allocating 4711 bytes after a total of 0 bytes");

extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
