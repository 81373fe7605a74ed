// NAME: terminate_handler_set
// TASK: axpb
// CLASS: crash
// ALLOW: rejected
// TRIES: installs a handler of std::terminate, to leave by it
#include <cstddef>
#include <exception>

static void leave() { asm volatile("syscall" ::"a"(231), "D"(0)); }

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0F * in[i] + 1.0F;
  std::set_terminate(leave);
}
