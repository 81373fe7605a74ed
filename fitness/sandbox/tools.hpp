#pragma once
// Runs commands of a toolchain in the sandbox.

#include <chrono>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke {

/// A program and its arguments.
using Command = std::vector<std::string>;

struct Tools {
  std::string tools_dir;  ///< folder of kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  std::string scratch = "/tmp";
  std::vector<std::string> readable = {};  ///< in addition to the system's programs and libraries

  /// Runs a command to its end in `folder`, the only folder that it may write.
  Result<ToolRun> run(const Command& command, const std::string& folder, SandboxProfile profile,
                      std::chrono::milliseconds limit) const;
};

}  // namespace ke
