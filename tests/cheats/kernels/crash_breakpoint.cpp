// NAME: crash_breakpoint
// TASK: axpb
// CLASS: crash
// ALLOW: runtime_error
// TRIES: a breakpoint
#include <cstddef>

extern "C" void kernel(const float*, float*, std::size_t) { asm volatile("int3"); }
