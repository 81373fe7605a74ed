#pragma once
// A language beside CUDA C++ that NVRTC compiles, given headers.

#include <optional>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/plan/planned_kernel.hpp"

namespace ke::gpu {

/// Thread-safe.
class NvrtcDialect {
 public:
  virtual ~NvrtcDialect() = default;
  /// Of the kernels that it speaks for.
  virtual std::string language() const = 0;
  /// Of their sources, in diagnostics.
  virtual std::string file_name() const = 0;
  /// All that decides a build beside NVRTC, for keys.
  virtual std::string toolchain() const = 0;
  /// NVRTC's options for every kernel.
  virtual std::vector<std::string> options() const = 0;
  /// NVRTC's options in place of a flag, or nothing when kernels may not use it.
  virtual std::optional<std::vector<std::string>> flag(const std::string& flag) const = 0;
  /// Says what NVRTC cannot know of its errors.
  virtual void explain(std::vector<Diagnostic>& errors) const = 0;
  /// Looks further at a kernel that NVRTC compiled: adds measures, or refuses it.
  virtual Result<void> look(const Kernel& kernel, const PlannedKernel& parts,
                            BuildOutcome& built) const = 0;
};

}  // namespace ke::gpu
