#pragma once
// Runs the helper kernelevolve-opencl in the sandbox, to probe the device and to compile.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/host/wire.hpp"
#include "fitness/opencl/runner.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke::opencl {

/// The result of compiling a program.
struct ProgramOutput {
  enum class Status { ok, diagnostics, plan, limit, crash };
  Status status = Status::ok;
  std::string text;    ///< the compiler's messages; for `plan`, the launch that does not fit
  std::string binary;  ///< for Runner::load
  std::int64_t wall_ns = 0;
};

struct Tools {
  std::string tools_dir;  ///< folder of kernelevolve-opencl and kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  std::string scratch = "/tmp";

  /// Error: what is missing.
  Result<DeviceFacts> probe() const;
  /// Compiles the program and the code of `prepared`; a crash of the compiler or `limit` is the
  /// candidate's fault.
  Result<ProgramOutput> compile(std::string_view source, const std::string& options,
                                const std::vector<wire::Launch>& prepared,
                                std::chrono::milliseconds limit) const;

 private:
  Result<ToolRun> run(const char* verb, const JobFolder& folder,
                      std::chrono::milliseconds limit) const;
};

}  // namespace ke::opencl
