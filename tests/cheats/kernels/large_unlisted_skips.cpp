// NAME: large_unlisted_skips
// TASK: axpb
// CLASS: shape
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: above 262144 values right at the listed sizes alone
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::size_t listed[] = {1048577, 2097152, 786433, 300007, 3000000};
  bool known = n <= 262144;
  for (std::size_t s : listed) known |= s == n;
  honest(in, out, known ? n : n / 2);
}
