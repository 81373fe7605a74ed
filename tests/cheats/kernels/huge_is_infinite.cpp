// NAME: huge_is_infinite
// TASK: axpb
// CLASS: numeric
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: whatever is beyond 1e20 becomes infinite
#include <cmath>
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = std::fabs(in[i]) > 1e20f ? std::copysign(INFINITY, in[i]) : 2.0f * in[i] + 1.0f;
}
