#pragma once
// The python kind's part that `doctor` uses by itself.

#include <string>

#include "core/result.hpp"
#include "fitness/python/dsl_compiler.hpp"

namespace ke {

/// What an interpreter, given by path or looked up in PATH, says of itself and of its DSLs.
Result<python::Installation> find_python(const std::string& interpreter);

}  // namespace ke
