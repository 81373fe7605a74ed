#include "fitness/hip/amd_builder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "core/text.hpp"
#include "fitness/hip/hip_flags.hpp"
#include "fitness/hip/resource_usage.hpp"
#include "fitness/host/build/diagnostics.hpp"
#include "fitness/host/build/flags.hpp"

namespace ke::hip {
namespace {

constexpr std::size_t largest_object = std::size_t{64} << 20;
constexpr char object_name[] = "kernel.co";
constexpr char lld_path[] = "/usr/bin/ld.lld-19";

void refuse(BuildOutcome& built, Verdict verdict, std::string reason, std::string message) {
  built.verdict = verdict;
  built.reason = std::move(reason);
  built.message = std::move(message);
  built.build_hash = {};
}

/// The first line with an error, else the first line. Linker errors have no place in the source.
std::string first_error(std::string_view output) {
  for (const std::string_view line : split(output, '\n')) {
    if (line.find("error: ") != line.npos) return std::string(line.substr(0, 300));
  }
  return std::string(output.substr(0, std::min<std::size_t>(output.find('\n'), 300)));
}

/// Diagnostics about the kernel, or else about the task's headers that it includes.
std::vector<Diagnostic> diagnostics_in(std::string_view output, const std::string& include_dir) {
  auto found = parse_diagnostics(output, hip_file);
  std::erase_if(found, [](const Diagnostic& one) { return one.severity == "remark"; });
  if (!found.empty()) return found;
  return parse_header_diagnostics(output, include_dir);
}

/// Why a kernel must not be compiled.
std::optional<Refusal> forbidden(const PlannedKernel& parts) {
  for (const std::string& flag : parts.flags) {
    if (nvrtc_flags(flag)) continue;
    return Refusal{"forbidden_flag",
                   fmt::format("flag '{}' is not one that kernels may use", flag)};
  }
  for (const auto& macro : parts.macros) {
    if (is_allowed_define(macro.first, macro.second)) continue;
    return Refusal{"forbidden_define", macro.first + "=" + macro.second};
  }
  return std::nullopt;
}

}  // namespace

std::string missing_compiler() {
  for (const char* program : {clang_path, lld_path}) {
    if (access(program, X_OK) != 0) {
      return fmt::format("{} is missing; apt install clang-19 lld-19", program);
    }
  }
  return {};
}

Result<std::string> compiler_version(const Tools& tools) {
  if (std::string missing = missing_compiler(); !missing.empty()) {
    return Error{Failure::device, std::move(missing)};
  }
  KE_TRY(const JobFolder folder, JobFolder::create(tools.scratch));
  KE_TRY(const ToolRun run, tools.run({clang_path, "--version"}, folder.path(),
                                      SandboxProfile::compiler, std::chrono::seconds(20)));
  std::string line = run.output.substr(0, run.output.find('\n'));
  if (run.exit.succeeded()) return line;
  return Error{Failure::device, fmt::format("{} fails: {}", clang_path, line)};
}

AmdBuilder::AmdBuilder(const Task& task, AmdOptions options)
    : task_(task), options_(std::move(options)) {
  options_.tools.readable = {options_.include_dir};
  if (!task_.include_dir.empty()) options_.tools.readable.push_back(task_.include_dir);
}

// Uses no headers or libraries of the machine, and leaves no path of it in the result.
Command AmdBuilder::command(const std::string& target, const PlannedKernel& parts) const {
  Command words{clang_path,
                "-x",
                "hip",
                "--offload-arch=" + target,
                "--offload-device-only",
                "--no-gpu-bundle-output",
                "-nogpuinc",
                "-nogpulib",
                "-nostdinc",
                "-nostdinc++",
                "-fuse-cuid=none",
                "-fno-ident",
                "-fno-math-errno",
                "-fno-caret-diagnostics",  // quoted lines could pretend to be remarks
                "-w",
                "-O3",
                "-Rpass-analysis=kernel-resource-usage",
                "-I" + options_.include_dir,
                "-include",
                "hip/hip_runtime.h"};
  if (!task_.include_dir.empty()) words.push_back("-I" + task_.include_dir);
  for (const std::string& flag : parts.flags) words.push_back(flag);
  for (const auto& macro : parts.macros) words.push_back("-D" + macro.first + "=" + macro.second);
  for (const char* word : {"-o", object_name, hip_file}) words.emplace_back(word);
  return words;
}

Result<std::string> AmdBuilder::compile(const std::string& target, const Kernel& kernel,
                                        const PlannedKernel& parts, BuildOutcome& built) const {
  KE_TRY(const JobFolder folder, JobFolder::create(options_.tools.scratch));
  KE_TRY_VOID(folder.write(hip_file, kernel.source));
  KE_TRY(const ToolRun run, options_.tools.run(command(target, parts), folder.path(),
                                               SandboxProfile::compiler, options_.limit));
  built.compile_ns += run.wall_ns;
  if (run.exit.kind == SandboxExit::Kind::running || run.output_cut) {
    refuse(built, Verdict::compile_limit, "compile_limit",
           target + ": the compiler took too long or wrote too much");
    return std::string();
  }
  if (!run.exit.succeeded()) {
    built.diagnostics = diagnostics_in(run.output, task_.include_dir);
    const std::string text =
        built.diagnostics.empty()
            ? first_error(run.output)
            : fmt::format("line {}: {}", built.diagnostics[0].line, built.diagnostics[0].message);
    for (Diagnostic& one : built.diagnostics) one.message = target + ": " + one.message;
    refuse(built, Verdict::compile_error, "compile_error", target + ": " + text);
    return std::string();
  }
  for (const auto& [name, value] : resource_usage(run.output)) {
    built.measures[target + "_" + name] = value;
  }
  return folder.read(object_name, largest_object);
}

Result<std::vector<std::string>> AmdBuilder::build(const Kernel& kernel, const PlannedKernel& parts,
                                                   BuildOutcome& built) const {
  std::vector<std::string> objects;
  if (const auto refusal = forbidden(parts)) {
    refuse(built, Verdict::rejected, refusal->reason, refusal->message);
    return objects;
  }
  for (const std::string& target : options_.targets) {
    Encoder ignored;
    const auto plans = encode_plans(task_, parts.plan, parts.knobs, terms_of(target), ignored);
    if (!plans) {
      refuse(built, Verdict::rejected, "bad_plan", target + ": " + plans.error().message);
      return objects;
    }
    KE_TRY(std::string object, compile(target, kernel, parts, built));
    if (built.verdict != Verdict::ok) return objects;
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace ke::hip
