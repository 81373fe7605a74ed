// NAME: map_of_functions
// TASK: axpb
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: a std::map of std::function by name, an unordered_map, a list and strings
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_map>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const std::map<std::string, std::function<float(float)>> table = {
      {"axpb", [](float x) { return 2.0f * x + 1.0f; }}, {"none", [](float x) { return x; }}};
  static std::unordered_map<std::size_t, int> seen;
  ++seen[n];
  std::list<std::string> words{"ax", "pb"};
  const auto& f = table.at(words.front() + words.back());
  for (std::size_t i = 0; i < n; ++i) out[i] = f(in[i]);
}
