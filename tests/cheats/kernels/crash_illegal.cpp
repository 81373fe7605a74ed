// NAME: crash_illegal
// TASK: axpb
// CLASS: crash
// ALLOW: runtime_error
// TRIES: an undefined instruction
#include <cstddef>

extern "C" void kernel(const float*, float*, std::size_t) { asm volatile("ud2"); }
