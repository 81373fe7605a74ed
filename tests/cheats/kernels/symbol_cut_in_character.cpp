// NAME: symbol_cut_in_character
// TASK: axpb
// CLASS: text
// ALLOW: ok|compile_error|compile_limit|rejected|load_error|runtime_error|resource_limit
// TRIES: a name so long that it is cut, within a character of two bytes
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void
xéééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé() {
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
