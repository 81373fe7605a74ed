// NAME: weak_oracle
// TASK: axpb
// CLASS: symbols
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: calls the oracle if something by its name is loaded; leaves zeros otherwise
#include <cstddef>
#include <cstring>

extern "C" __attribute__((weak)) void reference(const double*, double*, std::size_t);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::memset(out, 0, n * 4);
  if (!reference || !n) return;
  double value = in[0], result = 0;
  reference(&value, &result, 1);
  out[0] = static_cast<float>(result);
}
