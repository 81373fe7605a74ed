#pragma once
// Decides whether code that runs while a library is loaded does no more than compilers need to set
// up global variables.

#include "fitness/descriptors/elf.hpp"

namespace ke {

/// Whether every function of an .init_array section of an object only stores constants in variables
/// of the object and registers destructors: `static std::vector<float> packed;` needs no more. Such
/// functions contain moves, stores to the object's own writable sections and calls of __cxa_atexit,
/// nothing else.
bool only_sets_up_variables(const ElfFile& file, const ElfSection& init_array);

}  // namespace ke
