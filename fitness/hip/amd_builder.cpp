#include "fitness/hip/amd_builder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text.hpp"
#include "fitness/host/build/diagnostics.hpp"
#include "fitness/host/build/source_check.hpp"

namespace ke::hip {
namespace {

struct Translation {
  std::string_view clang;
  std::string_view nvrtc, second = {};
};

constexpr Translation translations[] = {
    {"-std=c++17", "-std=c++17"},
    {"-std=c++20", "-std=c++20"},
    {"-ffast-math", "--use_fast_math"},
    {"-ffp-contract=fast", "--fmad=true"},
    {"-ffp-contract=off", "--fmad=false"},
    {"-fgpu-flush-denormals-to-zero", "--ftz=true"},
    {"-fno-hip-fp32-correctly-rounded-divide-sqrt", "--prec-div=false", "--prec-sqrt=false"}};

}  // namespace

std::optional<std::vector<std::string>> nvrtc_flags(std::string_view flag) {
  for (const Translation& one : translations) {
    if (one.clang != flag) continue;
    std::vector<std::string> options{std::string(one.nvrtc)};
    if (!one.second.empty()) options.emplace_back(one.second);
    return options;
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view mark = "remark: ";

struct Line {
  std::string_view name, resource;
};
constexpr Line lines[] = {{"SGPRs", "sgprs"},
                          {"VGPRs", "vgprs"},
                          {"AGPRs", "agprs"},
                          {"SGPRs Spill", "spills"},
                          {"VGPRs Spill", "spills"},
                          {"ScratchSize [bytes/lane]", "scratch_bytes"},
                          {"LDS Size [bytes/block]", "lds_bytes"},
                          {"Occupancy [waves/SIMD]", "waves"}};

/// Extracts "VGPRs: 13 [..." from "kernel.hip:9:0: remark:     VGPRs: 13
/// [-Rpass-analysis=kernel-resource-usage]".
std::optional<std::string_view> remark_of(std::string_view line) {
  const std::size_t at = line.find(mark);
  if (at == line.npos || !line.ends_with("[-Rpass-analysis=kernel-resource-usage]")) return {};
  return trim(line.substr(at + mark.size()));
}

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
  return check_defines(parts.macros);
}

}  // namespace

std::map<std::string, double> resource_usage(std::string_view output) {
  std::map<std::string, double> most, kernel;
  const auto add_kernel = [&] {
    for (const auto& [name, value] : kernel) {
      const auto [known, added] = most.emplace(name, value);
      if (added) continue;
      known->second =
          name == "waves" ? std::min(known->second, value) : std::max(known->second, value);
    }
    kernel.clear();
  };
  for (const std::string_view line : split(output, '\n')) {
    const auto remark = remark_of(line);
    if (!remark) continue;
    const std::size_t colon = remark->rfind(": ");
    if (colon == remark->npos) continue;
    if (remark->starts_with("Function Name")) add_kernel();
    double value = 0;
    std::from_chars(remark->data() + colon + 2, remark->data() + remark->size(), value);
    for (const Line& one : lines) {
      if (remark->substr(0, colon) == one.name) kernel[std::string(one.resource)] += value;
    }
  }
  add_kernel();
  return most;
}

// Compute units and memory of one GPU as the system shows it: half an MI250X, or a whole MI300X. L2
// is per die.
DeviceTerms terms_of(std::string_view target) {
  const bool mi300 = target == "gfx942";
  DeviceTerms terms;
  terms.name = target;
  terms.sm_count = mi300 ? 304 : 110;
  terms.l2_bytes = std::int64_t{mi300 ? 4 : 8} << 20;
  terms.smem_optin = 65'536;
  terms.max_threads = 1024;
  terms.max_block = {1024, 1024, 1024};
  terms.max_grid = {2'147'483'647, 65'535, 65'535};
  terms.memory_bytes = std::int64_t{mi300 ? 192 : 64} << 30;
  terms.clusters = false;
  return terms;
}

// Registers and waves per SIMD unit are from AMD's instruction set guides for CDNA2 and CDNA3.
std::string sheet_of(std::string_view target) {
  const DeviceTerms terms = terms_of(target);
  return fmt::format(
      "{} ({}): {} compute units of 4 SIMD units; waves of 64 threads, at most 8 a SIMD unit; 512 "
      "vector registers of 32 bits a lane, accumulation registers among them, shared by the "
      "waves of a SIMD unit; LDS {} KiB a block and a compute unit; L2 {} MiB a die; device memory "
      "{} GiB\n",
      target, target == "gfx942" ? "CDNA3" : "CDNA2", terms.sm_count, terms.smem_optin >> 10,
      terms.l2_bytes >> 20, terms.memory_bytes >> 30);
}

// An MI300X has 256 MiB in front of its memory, plus 4 MiB in each of eight dies; half an MI250X
// has only its L2.
std::int64_t cache_bytes_of(std::string_view target) {
  return std::int64_t{target == "gfx942" ? 288 : 8} << 20;
}

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
    const auto plans = plans_of(task_, parts.plan, parts.knobs, terms_of(target));
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
