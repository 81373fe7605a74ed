#pragma once
// Runs another program to its end and reads its output.

#include <string>
#include <vector>

namespace ke {

struct ProgramAnswer {
  int code = -1;       ///< exit code; 127 if the program does not exist, -1 if a signal ended it
  std::string output;  ///< standard output
};

/// Finds `command` in PATH, runs it with `input` as standard input and waits for it.
ProgramAnswer run_program(const std::vector<std::string>& command, const std::string& input = {});

}  // namespace ke
