#pragma once
// From a CUDA kernel of the search to machine code with a checked launch plan.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/job.hpp"
#include "core/knob_space.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/cuda/dialect.hpp"
#include "fitness/cuda/helper_process.hpp"
#include "fitness/cuda/nvrtc.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/task.hpp"

namespace ke::cuda {

/// What building one kernel gave. Immutable once made.
struct CudaBuilt : BuildOutcome {
  /// Modules whose kernels the plan launches. `build_hash` is of them and of the plan at every
  /// workload.
  std::vector<std::string> cubins;
  LaunchPlan plan;
  std::map<std::string, std::int64_t> knobs;
};
using CudaBuiltPtr = std::shared_ptr<const CudaBuilt>;

/// The compile process of one thread. Killed and started again when it does not answer.
class CompileHelper {
 public:
  CompileHelper(std::string tools_dir, NvrtcPlace place, std::chrono::milliseconds limit)
      : tools_dir_(std::move(tools_dir)), place_(std::move(place)), limit_(limit) {}
  /// Starts the process if need be and gives the compiler's version.
  Result<std::string> version();
  /// Nothing when it took too long or crashed.
  Result<std::optional<CompileReply>> compile(const CompileRequest& request);
  const NvrtcPlace& place() const { return place_; }

 private:
  std::string tools_dir_;
  NvrtcPlace place_;
  std::chrono::milliseconds limit_;
  std::unique_ptr<HelperProcess> process_;
  std::string version_;
};

/// Builds kernels for the same device otherwise than by NVRTC. Thread-safe.
using OtherBuilder = std::function<Result<CudaBuilt>(const Kernel& kernel)>;

/// Builds kernels of one task for one device. Thread-safe; each thread brings its own helper.
class CudaBuilder {
 public:
  /// `dialect`: of kernels in another language than CUDA, or null; borrowed as the task is.
  /// `dsl_builder`: empty = kernels in Python DSLs are refused. `device_builder`: of all others;
  /// empty = NVRTC.
  CudaBuilder(const Task& task, DeviceTerms device, std::string arch,
              const Dialect* dialect = nullptr, OtherBuilder dsl_builder = {},
              OtherBuilder device_builder = {})
      : task_(task),
        device_(std::move(device)),
        arch_(std::move(arch)),
        dialect_(dialect),
        dsl_builder_(std::move(dsl_builder)),
        device_builder_(std::move(device_builder)) {}

  /// Bad kernels are values with a verdict; errors are the machine's.
  Result<CudaBuiltPtr> build(const Kernel& kernel, CompileHelper& helper);

 private:
  Result<CudaBuilt> make(const Kernel& kernel, CompileHelper& helper) const;
  Result<CudaBuilt> compile(const Kernel& kernel, CompileHelper& helper) const;

  const Task& task_;
  DeviceTerms device_;
  std::string arch_;
  const Dialect* dialect_;
  OtherBuilder dsl_builder_;
  OtherBuilder device_builder_;
  std::mutex mutex_;
  std::map<Digest, CudaBuiltPtr> known_;
};

/// Hash of a build's modules and of its plan at every workload. Error: a plan that is illegal there
/// even with one block a multiprocessor wherever it asks for the occupancy.
Result<Digest> hash_build(const Task& task, const CudaBuilt& built, const DeviceTerms& device);
/// Why modules may not be used, or "": what a kernel prints would stand among the words of the
/// tools that examine it.
std::string refused_modules(const std::vector<std::string>& cubins);
/// Fixed compiler options for an architecture, e.g. "sm_90a".
std::vector<std::string> cuda_options(const std::string& arch, const NvrtcPlace& place,
                                      const std::string& include_dir);
/// Why a flag of a kernel may not be used, or "".
std::string refused_cuda_flag(const std::string& flag);

}  // namespace ke::cuda
