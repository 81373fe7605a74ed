// NAME: crash_late
// TASK: axpb
// CLASS: crash
// ALLOW: runtime_error
// TRIES: crashes at its 45th call
#include <cstddef>

static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  honest(in, out, n);
  if (++calls == 45) *static_cast<volatile int*>(nullptr) = 1;
}
