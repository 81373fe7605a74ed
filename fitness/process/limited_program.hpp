#pragma once
// Runs a program of ours or of a vendor to its end, outside of the sandbox.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace ke {

struct LimitedRun {
  int code = -1;        ///< exit code; 127 when there is no such program, -1 when a signal ended it
  bool in_time = true;  ///< false: it was ended with all that it started
  std::string output;   ///< the beginning of its standard output
};

/// Looks `command` up in PATH and waits for it, at most `limit`; its standard input is empty.
LimitedRun run_limited(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                       std::size_t most_output);

}  // namespace ke
