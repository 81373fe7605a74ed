// NAME: throws_bad_alloc
// TASK: sum1d
// CLASS: crash
// ALLOW: runtime_error|rejected
// TRIES: asks a vector for more memory than there is
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::vector<double> own(n + (1ull << 40));
  own[0] = in[0];
  out[0] = static_cast<float>(own[0]);
}
