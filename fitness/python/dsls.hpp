#pragma once
// The Python DSLs: languages that a program in Python compiles.

#include <string>
#include <vector>

namespace ke::python {

/// Names of the languages with `compiler: python`, sorted.
std::vector<std::string> dsl_names();

}  // namespace ke::python
