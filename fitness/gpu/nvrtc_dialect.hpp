#pragma once
// A language other than CUDA C++ that NVRTC can compile with suitable headers.

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
  /// Language of its kernels.
  virtual std::string language() const = 0;
  /// Name of kernel sources in diagnostics.
  virtual std::string file_name() const = 0;
  /// Everything that affects a build in addition to NVRTC, for keys.
  virtual std::string toolchain() const = 0;
  /// NVRTC's options for every kernel.
  virtual std::vector<std::string> options() const = 0;
  /// NVRTC's options for a flag, or nothing when kernels may not use it.
  virtual std::optional<std::vector<std::string>> flag(const std::string& flag) const = 0;
  /// Adds hints to errors that NVRTC cannot explain.
  virtual void explain(std::vector<Diagnostic>& errors) const = 0;
  /// Inspects a kernel that NVRTC compiled: adds measures, or refuses it.
  virtual Result<void> look(const Kernel& kernel, const PlannedKernel& parts,
                            BuildOutcome& built) const = 0;
};

}  // namespace ke::gpu
