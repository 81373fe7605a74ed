#pragma once
// The oracle of a task, compiled and loaded.

#include <string>

#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/cpu/build/compiler.hpp"

namespace ke {

/// Compiles reference.cpp like a baseline of ours and loads it into this process. Error: it does
/// not build.
Result<Reference> build_reference(const Task& task, const Compiler& compiler,
                                  const std::string& scratch);

}  // namespace ke
