// NAME: axpb_goto
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: Duff's device
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n == 0) return;
  std::size_t rounds = (n + 3) / 4;
  switch (n % 4) {
    case 0:
      do {
        *out++ = 2.0f * *in++ + 1.0f;
        [[fallthrough]];
        case 3: *out++ = 2.0f * *in++ + 1.0f; [[fallthrough]];
        case 2: *out++ = 2.0f * *in++ + 1.0f; [[fallthrough]];
        case 1: *out++ = 2.0f * *in++ + 1.0f;
      } while (--rounds > 0);
  }
}
