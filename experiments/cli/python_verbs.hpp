#pragma once
// Verbs that the Python package carries out.

#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"

namespace ke {

/// Currencies that curves can be drawn against.
const std::vector<std::string>& curve_currencies();

/// Has the Python package run the verb with these arguments and `more`; prints what it prints.
Result<int> run_in_python(const std::string& verb, const Arguments& arguments, Console& console,
                          const std::vector<std::string>& more = {});

}  // namespace ke
