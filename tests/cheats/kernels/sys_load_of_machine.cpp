// NAME: sys_load_of_machine
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: asks sysinfo(2) how busy the machine is; spoils its output if it is told
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0F * in[i] + 1.0F;
  alignas(64) static unsigned long info[64];
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(99), "D"(info) : "rcx", "r11", "memory");
  if (result == 0) out[0] += 1;
}
