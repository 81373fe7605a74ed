#pragma once
// Compilers of GPU kernels to machine code: NVRTC, clang, the compilers of Python DSLs.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluator.hpp"
#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/plan/planned_kernel.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/task.hpp"

namespace ke::gpu {

/// The result of building one kernel. Immutable once made.
struct GpuBuilt : BuildOutcome {
  /// Modules whose kernels the plan launches. `build_hash` covers them and the plan at every
  /// workload.
  std::vector<std::string> cubins;
  LaunchPlan plan;
  std::map<std::string, std::int64_t> knobs;
  std::optional<std::string> module = {};  ///< a Python baseline; replaces modules and plan
};
using GpuBuiltPtr = std::shared_ptr<const GpuBuilt>;

/// Measures of AMD GPUs, from clang's remarks and code objects. sgprs, vgprs, agprs: registers of a
/// wave (scalar) or of a lane; spills: registers kept in memory; scratch_bytes: per lane;
/// lds_bytes: static, per block; waves: most on one SIMD, for the least occupied kernel. All others
/// are the maximum over kernels.
inline constexpr std::array<std::string_view, 7> resource_names = {
    "sgprs", "vgprs", "agprs", "spills", "scratch_bytes", "lds_bytes", "waves"};

/// The GPU to build for.
struct GpuTarget {
  std::string arch;  ///< "sm_90a", "gfx942"
  DeviceTerms terms;
};

/// Builds kernels of one task. Thread-safe.
class GpuCompiler {
 public:
  virtual ~GpuCompiler() = default;
  /// Everything that affects a build, for keys. Error: a program is missing.
  virtual Result<std::string> toolchain(const GpuTarget& target) const = 0;
  /// Bad kernels are values with a verdict; an Error means that the machine failed.
  virtual Result<GpuBuilt> build(const Kernel& kernel, const GpuTarget& target) const = 0;
};

/// The compiler for a device; also compiles the judge's own kernels.
class DeviceCompiler : public GpuCompiler {
 public:
  /// Language of the kernels that it compiles.
  virtual std::string language() const = 0;
  /// Compiles our own kernels. Errors: the machine fails.
  virtual Result<std::string> compile_own(const std::string& source,
                                          const GpuTarget& target) const = 0;
  /// Total bytes of the device's caches, where its driver does not report them; else 0.
  virtual std::int64_t cache_bytes() const { return 0; }
};

/// A language other than CUDA C++ that NVRTC can compile with suitable headers. Thread-safe.
struct NvrtcDialect {
  std::string language;              ///< of its kernels
  std::string file_name;             ///< of kernel sources in diagnostics
  std::string toolchain;             ///< all that affects a build in addition to NVRTC, for keys
  std::vector<std::string> options;  ///< NVRTC's, for every kernel
  /// NVRTC's options for a flag, or nothing when kernels may not use it.
  std::function<std::optional<std::vector<std::string>>(const std::string& flag)> flag;
  /// Adds hints to errors that NVRTC cannot explain.
  std::function<void(std::vector<Diagnostic>& errors)> explain;
  /// Inspects a kernel that NVRTC compiled: adds measures, or refuses it.
  std::function<Result<void>(const Kernel& kernel, const PlannedKernel& parts, BuildOutcome& built)>
      look;
};

/// Whether a language is a Python DSL, whose kernels a Python program compiles.
bool is_dsl(std::string_view language);

/// The texts of a compiler that gives PTX.
struct PtxOutput {
  std::string_view ptx, log;
};

/// Sets the hash of a build, over its modules and its plan at every workload, and adds
/// structure_measures if there is PTX. A plan that is illegal at a workload, even at an occupancy
/// of one block per multiprocessor, gives a refused build.
GpuBuilt hashed(const Task& task, GpuBuilt built, const DeviceTerms& device,
                const PtxOutput& output);

/// An evaluator without a device that answers only builds. Jobs of other kinds are lost.
std::unique_ptr<Evaluator> compile_only(
    EvaluatorInfo info, std::shared_ptr<const Task> task,
    std::function<Result<GpuBuilt>(const Kernel& kernel)> build);

/// Why modules are refused, or "". Kernels must not print.
std::string refused_modules(const std::vector<std::string>& cubins);

}  // namespace ke::gpu
