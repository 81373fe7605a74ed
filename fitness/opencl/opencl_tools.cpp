#include "fitness/opencl/opencl_tools.hpp"

#include <fmt/format.h>

#include <charconv>
#include <csignal>

#include "core/text.hpp"
#include "fitness/host/pocl_surroundings.hpp"
#include "fitness/opencl/exit_code.hpp"

namespace ke::opencl {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;
constexpr std::size_t largest_program = std::size_t{64} << 20;
constexpr std::chrono::seconds probe_limit{20};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool killed(const SandboxExit& exit) {
  return exit.kind == SandboxExit::Kind::signalled &&
         (exit.code == SIGKILL || exit.code == SIGXCPU);
}

Error failure(const ToolRun& run) {
  const std::string_view said = trim(run.output);
  if (!said.empty()) return {Failure::device, std::string(said.substr(0, 300))};
  const bool signalled = run.exit.kind == SandboxExit::Kind::signalled;
  return {Failure::device, fmt::format("kernelevolve-opencl ends with {} {} in the sandbox",
                                       signalled ? "signal" : "exit code", run.exit.code)};
}

}  // namespace

Result<ToolRun> Tools::run(const char* verb, const JobFolder& folder,
                           std::chrono::milliseconds limit) const {
  const bool namespaces = level == SandboxLevel::namespaces;
  const std::string cache = namespaces ? "/pocl" : folder.path();
  SandboxSpec spec;
  spec.tools_dir = tools_dir;
  spec.level = level;
  spec.profile = SandboxProfile::compiler;
  spec.argv = {tools_dir + "/kernelevolve-opencl", verb, cache};
  spec.read_only = toolchain_paths();
  spec.read_only.push_back(spec.argv[0]);
  spec.writable = {{folder.path(), 0}};
  spec.working_dir = folder.path();
  spec.limits.cpu_seconds = static_cast<std::uint64_t>(limit.count() / 1000 + 1);
  spec.limits.processes = 8;
  allow_pocl(spec, cache);
  return run_tool(spec, limit, most_output);
}

Result<DeviceFacts> Tools::probe() const {
  KE_TRY(const JobFolder folder, JobFolder::create(scratch));
  KE_TRY(const ToolRun ran, run("probe", folder, probe_limit));
  const std::vector<std::string_view> lines = split(ran.output, '\n');
  if (!ran.exit.succeeded() || lines.size() < 7) return failure(ran);
  DeviceFacts facts;
  facts.name = lines[0];
  facts.driver = lines[1];
  facts.max_group = number(lines[2]);
  for (std::size_t i = 0; i < 3; ++i) facts.max_items[i] = number(lines[3 + i]);
  facts.local_bytes = number(lines[6]);
  return facts;
}

Result<ProgramOutput> Tools::compile(std::string_view source, const std::string& options,
                                     const std::vector<wire::Launch>& prepared,
                                     std::chrono::milliseconds limit) const {
  KE_TRY(const JobFolder folder, JobFolder::create(scratch));
  KE_TRY_VOID(folder.write("kernel.cl", source));
  KE_TRY_VOID(folder.write("options", options));
  KE_TRY_VOID(folder.write("launches", {reinterpret_cast<const char*>(prepared.data()),
                                        prepared.size() * sizeof(wire::Launch)}));
  KE_TRY(const ToolRun ran, run("compile", folder, limit));
  ProgramOutput out;
  out.wall_ns = ran.wall_ns;
  if (const auto log = folder.read("log", most_output)) out.text = *log;
  if (ran.exit.kind == SandboxExit::Kind::running || ran.output_cut || killed(ran.exit)) {
    out.status = ProgramOutput::Status::limit;
  } else if (ran.exit.kind == SandboxExit::Kind::signalled) {
    out.status = ProgramOutput::Status::crash;
  } else if (ran.exit.code == exit_diagnostics) {
    out.status = ProgramOutput::Status::diagnostics;
  } else if (ran.exit.code == exit_plan) {
    out.status = ProgramOutput::Status::plan;
    out.text = trim(ran.output);
  } else if (ran.exit.code != exit_ok) {
    return failure(ran);
  } else {
    KE_TRY(out.binary, folder.read("kernel.bin", largest_program));
  }
  return out;
}

}  // namespace ke::opencl
