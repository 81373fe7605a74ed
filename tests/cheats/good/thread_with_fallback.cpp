// NAME: thread_with_fallback
// TASK: axpb
// CLASS: good
// FLAGS: -O3 -march=native
// ALLOW: ok
// TRIES: asks for a thread, and works alone when there is none
#include <cstddef>
#include <system_error>
#include <thread>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const auto half = [=](std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) out[i] = 2.0f * in[i] + 1.0f;
  };
  try {
    std::thread t(half, n / 2, n);
    half(0, n / 2);
    t.join();
  } catch (const std::system_error&) {
    half(0, n);
  }
}
