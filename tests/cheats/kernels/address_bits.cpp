// NAME: address_bits
// TASK: sum1d
// CLASS: numeric
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: adds a millionth of the input's address: different in every process and placement
#include <cstddef>
#include <cstdint>

static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  out[0] *= 1.0f + 1e-6f * static_cast<float>((reinterpret_cast<std::uintptr_t>(in) >> 12) & 4095);
}
