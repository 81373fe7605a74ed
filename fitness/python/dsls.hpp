#pragma once
// The Python DSLs: languages that a program in Python compiles.

#include <string>
#include <string_view>
#include <vector>

namespace ke::python {

/// Names of the languages with `compiler: python`, sorted.
std::vector<std::string> dsl_names();

/// Whether a language is one of them.
bool is_dsl(std::string_view language);

}  // namespace ke::python
