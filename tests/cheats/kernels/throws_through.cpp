// NAME: throws_through
// TASK: sum1d
// CLASS: crash
// ALLOW: runtime_error|rejected
// TRIES: throws an int through its caller
#include <cstddef>

extern "C" void kernel(const float*, float*, std::size_t n) { throw static_cast<int>(n); }
