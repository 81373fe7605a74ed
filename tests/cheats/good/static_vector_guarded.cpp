// NAME: static_vector_guarded
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: a function static std::vector and std::string, which register destructors at first use
#include <cstddef>
#include <string>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> scratch(4096);
  static const std::string text =
      std::string("a name longer than any small string: ") + std::to_string(n % 2);
  static thread_local std::vector<double> own;
  if (own.empty()) own.assign({2.0, 1.0, static_cast<double>(text.size())});
  for (std::size_t at = 0; at < n; at += scratch.size()) {
    const std::size_t count = n - at < scratch.size() ? n - at : scratch.size();
    for (std::size_t i = 0; i < count; ++i) scratch[i] = static_cast<float>(own[0]) * in[at + i];
    for (std::size_t i = 0; i < count; ++i) out[at + i] = scratch[i] + static_cast<float>(own[1]);
  }
}
