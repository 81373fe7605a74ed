// NAME: axpb_vector_scratch
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: through a std::vector as scratch
#include <algorithm>
#include <cstddef>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::vector<float> own(in, in + n);
  for (float& value : own) value = 2.0f * value + 1.0f;
  std::copy(own.begin(), own.end(), out);
}
