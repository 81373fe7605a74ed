#pragma once
// Compiles a HIP kernel to code objects for AMD GPUs, with clang in the sandbox. Needs neither a
// GPU nor ROCm and runs nothing.

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/plan/planned_kernel.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/task.hpp"

namespace ke::hip {

/// NVRTC's equivalent, possibly several options; nothing when kernels may not use the flag.
std::optional<std::vector<std::string>> nvrtc_flags(std::string_view flag);

/// Usage by name; empty when the compiler's output holds no such remark. O(n).
std::map<std::string, double> resource_usage(std::string_view output);

/// Accelerators of the CDNA families; waves of both have 64 lanes.
inline constexpr std::array<std::string_view, 2> amd_targets = {"gfx90a", "gfx942"};

/// Limits of a target for launch plans. `target` is one of amd_targets.
DeviceTerms terms_of(std::string_view target);
/// Text for prompts: waves, registers and memories. `target` as above.
std::string sheet_of(std::string_view target);
/// Total capacity of its caches: the one in front of memory and the L2 of each die. `target` as
/// above.
std::int64_t cache_bytes_of(std::string_view target);

inline constexpr char clang_path[] = "/usr/bin/clang-19";
inline constexpr char hip_file[] = "kernel.hip";

struct AmdOptions {
  std::vector<std::string> targets;  ///< members of amd_targets
  std::string include_dir;           ///< the folder that holds hip/hip_runtime.h
  Tools tools;
  std::chrono::milliseconds limit{30'000};      ///< per target
  std::shared_ptr<const gpu::GpuCompiler> dsl;  ///< compiles FlyDSL; null = its kernels are refused
};

/// Names the missing programs, or "".
std::string missing_compiler();
/// The first line of clang's version output. Errors: clang is missing, or fails.
Result<std::string> compiler_version(const Tools& tools);

/// Thread-safe.
class AmdBuilder {
 public:
  /// The task is borrowed.
  AmdBuilder(const Task& task, AmdOptions options);

  /// Code objects by target, or verdict and diagnostics in `built` from the first target that
  /// refuses the kernel. Adds measures, e.g. gfx942_vgprs. Errors: the machine fails.
  Result<std::vector<std::string>> build(const Kernel& kernel, const PlannedKernel& parts,
                                         BuildOutcome& built) const;
  const AmdOptions& options() const { return options_; }

 private:
  Result<std::string> compile(const std::string& target, const Kernel& kernel,
                              const PlannedKernel& parts, BuildOutcome& built) const;
  Command command(const std::string& target, const PlannedKernel& parts) const;

  const Task& task_;
  AmdOptions options_;
};

}  // namespace ke::hip
