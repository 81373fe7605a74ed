// NAME: computed_goto
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: a small interpreter with computed gotos: its table of labels needs relocations
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const unsigned char program[] = {0, 1, 2, 3, 4};
  static const void* const labels[] = {&&load, &&twice, &&one, &&store, &&next};
  std::size_t i = 0;
  float value = 0;
  const unsigned char* at = program;
  if (n == 0) return;
  goto* labels[*at++];
load:
  value = in[i];
  goto* labels[*at++];
twice:
  value *= 2.0f;
  goto* labels[*at++];
one:
  value += 1.0f;
  goto* labels[*at++];
store:
  out[i] = value;
  goto* labels[*at++];
next:
  if (++i == n) return;
  at = program;
  goto* labels[*at++];
}
