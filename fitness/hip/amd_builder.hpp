#pragma once
// Compiles a HIP kernel to code objects for AMD GPUs, with clang in the sandbox. Needs neither a
// GPU nor ROCm and runs nothing.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/hip/amd_target.hpp"
#include "fitness/plan/planned_kernel.hpp"
#include "fitness/sandbox/tools.hpp"
#include "fitness/task.hpp"

namespace ke::hip {

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
