#pragma once
// Runs a trusted program to its end, outside the sandbox.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace ke {

struct LimitedRun {
  int code = -1;        ///< exit code; 127 = no such program, -1 = ended by a signal
  bool in_time = true;  ///< false: killed, with all processes that it started
  std::string output;   ///< the beginning of its standard output
};

/// Finds `command` in PATH, runs it with empty standard input, and waits at most `limit`.
LimitedRun run_limited(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                       std::size_t most_output);

}  // namespace ke
