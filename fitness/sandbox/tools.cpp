#include "fitness/sandbox/tools.hpp"

namespace ke {
namespace {

constexpr std::size_t most_output = std::size_t{64} << 20;

}  // namespace

Result<ToolRun> Tools::run(const Command& command, const std::string& folder,
                           SandboxProfile profile, std::chrono::milliseconds limit) const {
  SandboxSpec spec;
  spec.tools_dir = tools_dir;
  spec.level = level;
  spec.profile = profile;
  spec.argv = command;
  spec.read_only = toolchain_paths();
  spec.read_only.insert(spec.read_only.end(), readable.begin(), readable.end());
  spec.writable = {{folder, 0}};
  spec.working_dir = folder;
  spec.limits.cpu_seconds = static_cast<std::uint64_t>(limit.count() / 1000 + 1);
  spec.limits.file_bytes = std::uint64_t{1} << 30;
  spec.limits.processes = 16;
  return run_tool(spec, limit, most_output);
}

}  // namespace ke
