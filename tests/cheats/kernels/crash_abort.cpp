// NAME: crash_abort
// TASK: axpb
// CLASS: crash
// ALLOW: runtime_error|rejected
// TRIES: abort
#include <cstddef>
#include <cstdlib>

extern "C" void kernel(const float*, float*, std::size_t) { std::abort(); }
