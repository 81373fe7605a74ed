// NAME: cache_by_input_pointer
// TASK: axpb
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: copies the last result when the input's address and size are those of the last call
#include <cstddef>
#include <cstring>
#include <vector>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> kept;
  static const float* last = nullptr;
  if (in == last && n == kept.size() && n) return void(std::memcpy(out, kept.data(), n * 4));
  honest(in, out, n);
  last = in;
  kept.assign(out, out + n);
}
