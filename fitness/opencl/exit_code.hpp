#pragma once
// Exit codes of the helper kernelevolve-opencl.

namespace ke::opencl {

enum ExitCode : int {
  exit_ok = 0,
  exit_diagnostics = 1,  ///< the source does not compile; the file log says why
  exit_plan = 3,         ///< its launches do not fit its kernels; the output says why
  exit_device = 4,       ///< not the candidate's fault
};

}  // namespace ke::opencl
