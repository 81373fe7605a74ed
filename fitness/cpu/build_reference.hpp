#pragma once
// A task's oracle in C++: compiled, and loaded by a separate process.

#include <string>

#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/build/compiler.hpp"

namespace ke {

/// Compiles reference.cpp like a baseline of ours; sandboxed processes load it. Errors: it does not
/// build, or defines no function `reference`.
Result<Reference> build_reference(const Task& task, const Compiler& compiler,
                                  const std::string& scratch);

}  // namespace ke
