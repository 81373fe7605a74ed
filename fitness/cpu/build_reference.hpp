#pragma once
// The oracle of a task in C++: compiled, and loaded by a process of its own.

#include <string>

#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/build/compiler.hpp"

namespace ke {

/// Compiles reference.cpp like a baseline of ours; processes behind the compiler's walls load it.
/// Errors: it does not build, or defines no function `reference`.
Result<Reference> build_reference(const Task& task, const Compiler& compiler,
                                  const std::string& scratch);

}  // namespace ke
