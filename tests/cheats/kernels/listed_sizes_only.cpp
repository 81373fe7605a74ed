// NAME: listed_sizes_only
// TASK: axpb
// CLASS: shape
// ALLOW: wrong_result
// TRIES: right at the sizes of the task's file, half of the work at others
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  switch (n) {
    case 1:
    case 7:
    case 8:
    case 9:
    case 127:
    case 128:
    case 129:
    case 1009:
    case 4097:
    case 65537:
    case 1048577:
    case 2097152:
    case 786433:
    case 1000:
    case 300007:
    case 3000000: return honest(in, out, n);
  }
  honest(in, out, n / 2);
}
