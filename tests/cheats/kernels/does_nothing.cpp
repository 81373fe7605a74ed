// NAME: does_nothing
// TASK: sum1d
// CLASS: wrong
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: does nothing
#include <cstddef>

extern "C" void kernel(const float*, float*, std::size_t) {}
