#pragma once
// Runs another program to its end and reads its output.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// The exit code of a program that does not exist.
inline constexpr int no_such_program = 127;

struct ProgramAnswer {
  int code = -1;       ///< exit code, or no_such_program; -1 if a signal ended it
  std::string output;  ///< standard output
};

/// Finds `command` in PATH, runs it with `input` as standard input and waits for it.
ProgramAnswer run_program(const std::vector<std::string>& command, const std::string& input = {});

/// Runs a Python script for a verb, with the first python3 in PATH. Errors (Failure::usage): there
/// is no python3; the script ended with a code that is not `accepted`.
Result<ProgramAnswer> run_script(std::string_view verb, const std::string& script,
                                 const std::vector<std::string>& arguments,
                                 std::initializer_list<int> accepted);

}  // namespace ke
