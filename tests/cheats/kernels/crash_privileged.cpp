// NAME: crash_privileged
// TASK: axpb
// CLASS: crash
// ALLOW: runtime_error
// TRIES: a privileged instruction
#include <cstddef>

extern "C" void kernel(const float*, float*, std::size_t) { asm volatile("hlt"); }
