#pragma once
// What makes machine code of kernels for GPUs: NVRTC, clang, the compilers of Python DSLs.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/gpu/module_baseline.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/task.hpp"

namespace ke::gpu {

/// What building one kernel gave. Immutable once made.
struct GpuBuilt : BuildOutcome {
  /// Modules whose kernels the plan launches. `build_hash` is of them and of the plan at every
  /// workload.
  std::vector<std::string> cubins;
  LaunchPlan plan;
  std::map<std::string, std::int64_t> knobs;
  std::optional<ModuleBaseline> module = {};  ///< in place of modules and plan
};
using GpuBuiltPtr = std::shared_ptr<const GpuBuilt>;

/// Measures of AMD GPUs, which clang's remarks and code objects tell. sgprs, vgprs, agprs:
/// registers of a wave (scalar) or of a lane; spills: registers kept in memory; scratch_bytes: of a
/// lane; lds_bytes: static, of a block; waves: on one SIMD at most, for the least occupied kernel.
/// Of the others the most of any kernel.
inline constexpr std::array<std::string_view, 7> resource_names = {
    "sgprs", "vgprs", "agprs", "spills", "scratch_bytes", "lds_bytes", "waves"};

/// The GPU that kernels are built for.
struct GpuTarget {
  std::string arch;  ///< "sm_90a", "gfx942"
  DeviceTerms terms;
};

/// Builds kernels of one task. Thread-safe.
class GpuCompiler {
 public:
  virtual ~GpuCompiler() = default;
  /// All that decides a build, for keys. Error: a program that is missing.
  virtual Result<std::string> toolchain(const GpuTarget& target) const = 0;
  /// Bad kernels are values with a verdict; errors are the machine's.
  virtual Result<GpuBuilt> build(const Kernel& kernel, const GpuTarget& target) const = 0;
};

/// The compiler of a device, which makes the judge's own kernels too.
class DeviceCompiler : public GpuCompiler {
 public:
  /// Of the kernels that it is for.
  virtual std::string language() const = 0;
  /// Machine code of kernels of ours. Errors are the machine's.
  virtual Result<std::string> compile_own(const std::string& source,
                                          const GpuTarget& target) const = 0;
  /// Bytes that all caches of the device hold, where its driver does not tell; else 0.
  virtual std::int64_t cache_bytes() const { return 0; }
};

/// Whether a language is a Python DSL: a program in Python compiles its kernels.
bool is_dsl(std::string_view language);

/// Sets the hash of a build: of its modules and of its plan at every workload. A plan that is
/// illegal there, even with one block a multiprocessor wherever it asks for the occupancy, makes it
/// a refused build.
GpuBuilt hashed(const Task& task, GpuBuilt built, const DeviceTerms& device);

/// Why modules are refused, or "": kernels that print.
std::string refused_modules(const std::vector<std::string>& cubins);

}  // namespace ke::gpu
