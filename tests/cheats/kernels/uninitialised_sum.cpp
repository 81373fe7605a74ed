// NAME: uninitialised_sum
// TASK: sum1d
// CLASS: output
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: starts from whatever the output holds when that is small
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  double total = out[0] > -1e30f && out[0] < 1e30f ? out[0] : 0.0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}
