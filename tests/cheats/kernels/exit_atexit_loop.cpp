// NAME: exit_atexit_loop
// TASK: axpb
// CLASS: load
// ALLOW:
// ok|rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: a function static whose destructor never ends
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
static volatile int forever = 1;

struct Late {
  ~Late() {
    while (forever) {
    }
  }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static Late late;
  honest(in, out, n);
}
