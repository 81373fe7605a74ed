#pragma once
// Runs another program to its end and reads what it says.

#include <string>
#include <vector>

namespace ke {

struct ProgramAnswer {
  int code = -1;       ///< exit code; 127 when there is no such program, -1 when a signal ended it
  std::string output;  ///< of its standard output
};

/// Looks `command` up in PATH and waits for it; its standard input is empty.
ProgramAnswer run_program(const std::vector<std::string>& command);

}  // namespace ke
