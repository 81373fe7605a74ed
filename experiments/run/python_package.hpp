#pragma once
// Starts the Python package `kernelevolve`, which reads, compares and draws several runs.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/console.hpp"

namespace ke {

/// Runs `python3 -m kernelevolve ARGUMENTS` with `input` as standard input and waits for it; its
/// messages go to standard error.
/// Tries /usr/bin/python3, to which Debian's packages belong, where the first python3 in PATH lacks
/// a package. Error (Failure::usage) where both do.
Result<ProgramAnswer> run_python_package(const std::vector<std::string>& arguments,
                                         const std::string& input = {});

/// The same, for a verb: prints what the package prints, and answers its exit code, or that of a
/// bug where a signal ended it.
Result<int> print_python_package(const std::vector<std::string>& arguments, Console& console,
                                 const std::string& input = {});

}  // namespace ke
