#pragma once
// Runs a tool (compiler, linker, disassembler) to its end in the sandbox, in its own folder.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/sandbox/process.hpp"

namespace ke {

/// A folder that exists as long as this object.
class JobFolder {
 public:
  /// A new private folder below `parent`.
  static Result<JobFolder> create(const std::string& parent);
  JobFolder(JobFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  JobFolder& operator=(JobFolder&&) = delete;
  ~JobFolder();

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  Result<void> write(std::string_view name, std::string_view bytes) const;
  /// Bytes of a regular file, never of a link. Error: it is missing or larger than `limit`.
  Result<std::string> read(std::string_view name, std::size_t limit) const;

 private:
  explicit JobFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// The end of a tool, and its standard output and error, merged.
struct ToolRun {
  SandboxExit exit;
  std::string output;
  bool output_cut = false;  ///< it exceeded the output limit and was killed
  std::int64_t wall_ns = 0;
};

/// Runs `spec` with a pipe as its output until it ends, `wall` passes or its output exceeds
/// `output_bytes`; leaves nothing running.
Result<ToolRun> run_tool(SandboxSpec spec, std::chrono::nanoseconds wall, std::size_t output_bytes);

/// Files that compilers, linkers and disassemblers need.
std::vector<std::string> toolchain_paths();

/// A program and its arguments.
using Command = std::vector<std::string>;

struct Tools {
  std::string tools_dir;  ///< folder of kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  std::string scratch = "/tmp";
  std::vector<std::string> readable = {};  ///< in addition to the system's programs and libraries
  /// A process that may read those and the toolchain, and works in `folder`, the only folder that
  /// it may write. The caller adds the command and the limits.
  SandboxSpec spec(const std::string& folder, SandboxProfile profile) const;

  /// Runs a command to its end in `folder`, the only folder that it may write.
  Result<ToolRun> run(const Command& command, const std::string& folder, SandboxProfile profile,
                      std::chrono::milliseconds limit) const;
};

}  // namespace ke
