#include "fitness/hip/amd_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fitness/hip/amd_dsl.hpp"
#include "fitness/hip/hip_dialect.hpp"

namespace ke::hip {
namespace {

using gpu::GpuBuilt;
using gpu::GpuTarget;

/// Of kernels that belong to no task.
const Task& no_task() {
  static const Task none{};
  return none;
}

AmdOptions for_one(AmdOptions options, const std::string& arch) {
  options.targets = {arch};
  return options;
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
    PlannedKernel parts;
    if (const auto refusal = take_apart(kernel, hip_file, parts)) {
      return refused_build<GpuBuilt>(Verdict::rejected, refusal->reason, refusal->message);
    }
    GpuBuilt built;
    built.policy_flags = parts.policy_flags;
    KE_TRY(const auto objects, builder_.build(kernel, parts, built));
    if (built.verdict != Verdict::ok) return built;
    built.cubins = {objects.front()};
    built.plan = parts.plan;
    built.knobs = parts.knobs;
    add_common_measures(built);
    return hashed(task_, std::move(built), target.terms);
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
