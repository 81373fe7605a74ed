// NAME: large_static_data
// TASK: axpb
// CLASS: resource
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious|compile_error|compile_limit
// TRIES: 200 MiB of static data in the file
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static volatile int data[50 << 20] = {1};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (data[n % (50 << 20)] == 7 && n) out[0] = 0;
}
