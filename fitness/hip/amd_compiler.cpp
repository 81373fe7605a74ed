#include "fitness/hip/amd_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace ke::hip {
namespace {

using gpu::GpuBuilt;
using gpu::GpuTarget;

void explain(std::vector<Diagnostic>& errors) {
  for (Diagnostic& error : errors) {
    if (error.message.find("__builtin_amdgcn_") == std::string::npos) continue;
    error.message += " on NVIDIA GPUs; guard it with #ifdef __HIP_PLATFORM_AMD__";
  }
}

/// Digest over names and bytes of our headers.
Result<Digest> digest_of_headers(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "hip", code)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  if (code || !files.contains("hip_runtime.h")) {
    return Error{Failure::device,
                 folder + "/hip/hip_runtime.h is missing; install configs/backends"};
  }
  Encoder text;
  text("hip-headers/1")(files);
  return text.digest();
}

/// Stands in for the task of kernels that belong to none.
const Task& no_task() {
  static const Task none{};
  return none;
}

AmdOptions for_one(AmdOptions options, const std::string& arch) {
  options.targets = {arch};
  return options;
}

/// Prefixes the target to the messages about a kernel.
GpuBuilt refused_by(const std::string& target, GpuBuilt built) {
  built.message = target + ": " + built.message;
  for (Diagnostic& one : built.diagnostics) one.message = target + ": " + one.message;
  return built;
}

class AmdDeviceCompiler final : public gpu::DeviceCompiler {
 public:
  AmdDeviceCompiler(const Task& task, const AmdOptions& options, std::string arch,
                    std::string toolchain)
      : task_(task),
        builder_(task, options),
        own_(no_task(), for_one(options, arch)),
        arch_(std::move(arch)),
        toolchain_(std::move(toolchain)) {}

  std::string language() const override { return "hip"; }
  Result<std::string> toolchain(const GpuTarget& target) const override {
    return fmt::format("{}; {}; build 1", toolchain_, target.arch);
  }
  std::int64_t cache_bytes() const override { return cache_bytes_of(arch_); }

  Result<std::string> compile_own(const std::string& source, const GpuTarget&) const override {
    Kernel kernel;
    kernel.language = language();
    kernel.source = source;
    BuildOutcome built;
    KE_TRY(const auto objects, own_.build(kernel, {}, built));
    if (built.verdict == Verdict::ok) return objects.front();
    return Error{Failure::device, "the judge's own kernels do not compile: " + built.message};
  }

  Result<GpuBuilt> build(const Kernel& kernel, const GpuTarget& target) const override {
    if (gpu::is_dsl(kernel.language)) {
      KE_TRY(GpuBuilt built, build_dsl(builder_.options(), kernel));
      add_common_measures(built);
      return built;
    }
    if (kernel.language != language()) {
      return refused_build<GpuBuilt>(
          Verdict::rejected, "other_language",
          fmt::format("a kernel in {} on an AMD GPU, which takes HIP", kernel.language));
    }
    KE_TRY(GpuBuilt built, build_hip(builder_, kernel));
    if (built.verdict != Verdict::ok) return built;
    built.cubins.resize(1);
    add_common_measures(built);
    return hashed(task_, std::move(built), target.terms, {});
  }

 private:
  void add_common_measures(BuildOutcome& built) const {
    const auto add = [&](const char* name, const char* resource) {
      const auto found = built.measures.find(arch_ + "_" + resource);
      if (found != built.measures.end()) built.measures[name] = found->second;
    };
    add("registers", "vgprs");
    add("spill_bytes", "scratch_bytes");
    add("shared_bytes", "lds_bytes");
  }

  const Task& task_;
  AmdBuilder builder_;
  AmdBuilder own_;
  std::string arch_;
  std::string toolchain_;
};

}  // namespace

std::shared_ptr<const gpu::NvrtcDialect> make_hip_dialect(const Task& task, AmdOptions options,
                                                          std::string toolchain) {
  const auto builder = std::make_shared<const AmdBuilder>(task, std::move(options));
  return std::make_shared<const gpu::NvrtcDialect>(gpu::NvrtcDialect{
      .language = "hip",
      .file_name = hip_file,
      .toolchain = std::move(toolchain),
      .options = {"--include-path=" + builder->options().include_dir,
                  "--pre-include=hip/hip_runtime.h"},
      .flag = nvrtc_flags,
      .explain = explain,
      .look = [builder](const Kernel& kernel, const PlannedKernel& parts,
                        BuildOutcome& built) -> Result<void> {
        KE_TRY_VOID(builder->build(kernel, parts, built));  // only whether it compiles matters
        return {};
      }});
}

Result<std::string> toolchain_of(const AmdOptions& options) {
  KE_TRY(const Digest headers, digest_of_headers(options.include_dir));
  const std::string text = fmt::format("hip headers {}", headers.short_hex());
  if (options.targets.empty()) return text;
  const auto version = compiler_version(options.tools);
  if (version) {
    std::string dsl;
    if (options.dsl) {
      KE_TRY(dsl, options.dsl->toolchain({}));
    }
    return fmt::format("{}; {} for {}; build 1{}", text, *version, fmt::join(options.targets, ", "),
                       dsl);
  }
  return Error{Failure::device,
               fmt::format("no compiler for device.targets = [{}]: {}, or set device.targets=[] to "
                           "judge on an NVIDIA GPU alone",
                           fmt::join(options.targets, ", "), version.error().message)};
}

Result<GpuBuilt> build_hip(const AmdBuilder& builder, const Kernel& kernel) {
  PlannedKernel parts;
  if (const auto refusal = take_apart(kernel, hip_file, parts)) {
    return refused_build<GpuBuilt>(*refusal);
  }
  GpuBuilt built;
  built.policy_flags = parts.policy_flags;
  KE_TRY(built.cubins, builder.build(kernel, parts, built));
  built.plan = std::move(parts.plan);
  built.knobs = std::move(parts.knobs);
  return built;
}

Result<GpuBuilt> build_dsl(const AmdOptions& options, const Kernel& kernel) {
  if (options.dsl == nullptr) {
    return refused_build<GpuBuilt>(
        Verdict::rejected, "other_language",
        fmt::format("a kernel in {}, and device.python names no Python to compile it",
                    kernel.language));
  }
  GpuBuilt all;
  std::int64_t compile_ns = 0;
  std::map<std::string, double> measures;
  for (const std::string& target : options.targets) {
    KE_TRY(GpuBuilt one, options.dsl->build(kernel, {target, terms_of(target)}));
    compile_ns += one.compile_ns;
    one.compile_ns = compile_ns;
    if (one.verdict != Verdict::ok) return refused_by(target, std::move(one));
    for (const auto& [name, value] : one.measures) measures[target + "_" + name] = value;
    if (all.cubins.empty()) all = std::move(one);
  }
  all.compile_ns = compile_ns;
  all.measures = std::move(measures);
  return all;
}

Result<std::shared_ptr<const gpu::DeviceCompiler>> make_amd_device_compiler(const Task& task,
                                                                            AmdOptions options,
                                                                            std::string arch) {
  if (std::ranges::find(amd_targets, arch) == amd_targets.end()) {
    return Error{Failure::device,
                 fmt::format("the GPU is a '{}', and kernels are built for {} alone", arch,
                             fmt::join(amd_targets, ", "))};
  }
  std::erase(options.targets, arch);
  options.targets.insert(options.targets.begin(), arch);
  KE_TRY(std::string toolchain, toolchain_of(options));
  return std::shared_ptr<const gpu::DeviceCompiler>(std::make_shared<const AmdDeviceCompiler>(
      task, options, std::move(arch), std::move(toolchain)));
}

}  // namespace ke::hip
