#include "fitness/opencl/opencl_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <limits>

#include "core/text.hpp"
#include "fitness/descriptors/descriptors.hpp"
#include "fitness/host/build/diagnostics.hpp"
#include "fitness/host/build/source_check.hpp"
#include "fitness/host/pocl_surroundings.hpp"
#include "fitness/opencl/opencl_plan.hpp"
#include "fitness/opencl/program_check.hpp"
#include "fitness/opencl/runner.hpp"

namespace ke::opencl {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;
constexpr std::size_t largest_program = std::size_t{64} << 20;
constexpr std::chrono::seconds probe_limit{20};

std::uint64_t number(std::string_view text) { return number_from<std::uint64_t>(text).value_or(0); }

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

constexpr const char* file_name = "kernel.cl";

constexpr std::string_view allowed_flags[] = {"-cl-fast-relaxed-math",
                                              "-cl-finite-math-only",
                                              "-cl-fp32-correctly-rounded-divide-sqrt",
                                              "-cl-mad-enable",
                                              "-cl-no-signed-zeros",
                                              "-cl-opt-disable",
                                              "-cl-single-precision-constant",
                                              "-cl-std=CL1.2",
                                              "-cl-std=CL2.0",
                                              "-cl-std=CL3.0",
                                              "-cl-strict-aliasing",
                                              "-cl-uniform-work-group-size",
                                              "-cl-unsafe-math-optimizations"};

Built refused(Verdict verdict, std::string reason, std::string message) {
  return refused_build<Built>(verdict, std::move(reason), std::move(message));
}

/// Converts PoCL's "error: /its/own/file.cl:2:10: message" to the usual "kernel.cl:2:10: error:
/// message".
std::string usual_form(std::string_view line) {
  const std::size_t severity = line.find(": ");
  const std::size_t name = line.find(".cl:");
  if (severity == line.npos || name == line.npos || name < severity) return std::string(line);
  const std::string_view place = line.substr(name + 4);
  const std::size_t message = std::min(place.find(": "), place.size());
  return fmt::format("{}:{}: {}{}", file_name, place.substr(0, message), line.substr(0, severity),
                     place.substr(message));
}

std::string usual_log(std::string_view log) {
  std::string text;
  for (const std::string_view line : split(log, '\n')) text += usual_form(line) + "\n";
  return text;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, std::min<std::size_t>(text.find('\n'), 300)));
}

Built refused_by_compiler(std::string_view own_log) {
  const std::string log = usual_log(own_log);
  Built built = refused(Verdict::compile_error, "diagnostics", first_line(log));
  built.diagnostics = parse_diagnostics(log, file_name);
  if (built.diagnostics.empty()) return built;
  const Diagnostic& first = built.diagnostics[0];
  built.message = fmt::format("line {}: {}", first.line, first.message);
  return built;
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

Result<Built> Tools::compile(std::string_view source, const std::string& options,
                             const std::vector<wire::Launch>& prepared,
                             std::chrono::milliseconds limit) const {
  KE_TRY(const JobFolder folder, JobFolder::create(scratch));
  KE_TRY_VOID(folder.write("kernel.cl", source));
  KE_TRY_VOID(folder.write("options", options));
  KE_TRY_VOID(folder.write("launches", {reinterpret_cast<const char*>(prepared.data()),
                                        prepared.size() * sizeof(wire::Launch)}));
  KE_TRY(const ToolRun ran, run("compile", folder, limit));
  Built built;
  if (ran.exit.kind == SandboxExit::Kind::running || ran.output_cut || killed(ran.exit)) {
    built = refused(Verdict::compile_limit, "compile_limit",
                    "the compiler took too long or ran out of memory");
  } else if (ran.exit.kind == SandboxExit::Kind::signalled) {
    built = refused(Verdict::compile_error, "compiler_crash", "PoCL's compiler crashed");
  } else if (ran.exit.code == exit_diagnostics) {
    const auto log = folder.read("log", most_output);
    built = refused_by_compiler(log ? *log : "");
  } else if (ran.exit.code == exit_plan) {
    built = refused(Verdict::rejected, "bad_plan", std::string(trim(ran.output)));
  } else if (ran.exit.code != exit_ok) {
    return failure(ran);
  } else {
    KE_TRY(built.object, folder.read("kernel.bin", largest_program));
  }
  built.compile_ns = ran.wall_ns;
  return built;
}

std::string refused_opencl_flag(const std::string& flag) {
  if (std::ranges::find(allowed_flags, flag) != std::end(allowed_flags)) return {};
  return fmt::format("flag '{}' is not one that kernels may use", flag);
}

DeviceTerms terms_of(const DeviceFacts& facts) {
  DeviceTerms terms;
  terms.name = facts.name;
  terms.sm_count = 1;
  terms.l2_bytes = 0;
  terms.smem_optin = static_cast<std::int64_t>(facts.local_bytes);
  terms.max_threads = static_cast<std::int64_t>(facts.max_group);
  for (std::size_t i = 0; i < 3; ++i) {
    terms.max_block[i] = static_cast<std::int64_t>(facts.max_items[i]);
    terms.max_grid[i] = std::numeric_limits<std::int32_t>::max();
  }
  terms.clusters = false;
  return terms;
}

Result<Built> OpenclBuilder::make(const Kernel& kernel) const {
  DeclaredKernel declared;
  if (auto refusal = check_kernel(kernel, file_name, ExtraFlags::taken, declared)) {
    return refused_build<Built>(*refusal);
  }
  const auto plan = parse_launch_plan(kernel.name.empty() ? file_name : kernel.name, kernel.source);
  if (!plan) return refused(Verdict::rejected, "bad_plan", plan.error().message);
  std::string options;
  for (const std::string& flag : declared.flags) {
    if (std::string problem = refused_opencl_flag(flag); !problem.empty()) {
      return refused(Verdict::rejected, "forbidden_flag", std::move(problem));
    }
    options += flag + " ";
  }
  if (auto refusal = check_defines(declared.macros)) return refused_build<Built>(*refusal);
  for (const auto& [macro, value] : declared.macros)
    options += fmt::format("-D{}={} ", macro, value);
  PlanContext context;
  context.knobs = plan_knobs(declared.space, kernel);
  context.device = device_;
  const auto plans = plans_of(*plan, context, task_);
  if (!plans) return refused(Verdict::rejected, "bad_plan", plans.error().message);
  KE_TRY(Built built, compile(kernel, options, *plans));
  built.policy_flags.insert(built.policy_flags.begin(), declared.policy_flags.begin(),
                            declared.policy_flags.end());
  return built;
}

Result<Built> OpenclBuilder::compile(const Kernel& kernel, const std::string& options,
                                     LaunchPlansPtr plans) const {
  KE_TRY(Built built, tools_.compile(kernel.source, options, plans->prepared, limit_));
  if (built.verdict != Verdict::ok) return built;
  if (const auto problem = check_program(built.object)) {
    auto bad = refused_build<Built>(*problem);
    bad.compile_ns = built.compile_ns;
    return bad;
  }
  KE_TRY(const Digest code, program_hash(built.object));
  Encoder text;
  text("opencl-build/1")(code);
  for (const Workload& workload : task_.workloads) {
    KE_TRY(const auto launches, plans->at(workload));
    text(std::string_view(reinterpret_cast<const char*>(launches.data()),
                          launches.size() * sizeof(wire::Launch)));
  }
  built.build_hash = text.digest();
  built.launches = std::move(plans);
  KE_TRY_VOID(describe(built));
  return built;
}

// Describes the launch with the longest code, because a plan's small helpers say little.
Result<void> OpenclBuilder::describe(Built& built) const {
  const ke::Tools options{tools_.tools_dir, tools_.level, tools_.scratch};
  const auto libraries = libraries_in(built.object);
  for (const wire::Launch& launch : built.launches->prepared) {
    const std::string entry = fmt::format("_pocl_kernel_{}_workgroup", launch.kernel);
    const std::string path = fmt::format("/{}/{}-{}-{}-", launch.kernel, launch.local[0],
                                         launch.local[1], launch.local[2]);
    for (const ProgramLibrary& library : libraries) {
      if (!library.path.starts_with(path)) continue;
      const auto found = describe_binary(options, library.bytes, entry);
      if (!found) continue;
      if (found->measures.at("code_bytes") < built.measures["code_bytes"]) continue;
      built.measures = found->measures;
      built.hot_loop = found->hot_loop;
    }
  }
  if (built.hot_loop.empty()) built.policy_flags.emplace_back("not_described");
  return {};
}

Result<BuiltPtr> OpenclBuilder::build(const Kernel& kernel) {
  return known_.build(kernel.genome_hash(), [&] { return make(kernel); });
}

}  // namespace ke::opencl
