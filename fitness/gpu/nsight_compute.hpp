#pragma once
// NVIDIA's Nsight Compute: hardware counters of a kernel, and what they say limits it.

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/process/limited_program.hpp"

namespace ke::gpu {

/// Which kernels the profiler looks at.
enum class Profiled {
  off,
  champions,  ///< whatever the sanitizers look at
  elites,     ///< challengers that win a duel, too
};

/// What the profiler says of a kernel: measures and sentences, or why there are none.
struct KernelProfile {
  std::map<std::string, double> measures;  ///< see ncu_metrics.hpp
  std::vector<std::string> sentences;
  std::string not_applicable;  ///< "" = measured. The machine's or the tool's doing
  bool for_good = false;       ///< of `not_applicable`: no other kernel fares better
};

/// The program, looked up in PATH, in CUDA's folder and where its own packages put it. Error: where
/// it was looked for, and what to install.
Result<std::string> find_nsight_compute();
/// The first of these programs that says it is Nsight Compute, or "". Others are called ncu, too.
std::string first_nsight_compute(const std::vector<std::string>& places);

/// Those of `asked` that the tool's text says it does not know.
std::vector<std::string> unknown_metrics(std::string_view text,
                                         const std::vector<std::string>& asked);

/// What a run of the tool says.
KernelProfile profile_of_run(const LimitedRun& run);

/// Writes a profile into the fact of a job: measures, and the list `profile` of its feedback; a
/// reason why there is none is a policy flag.
void take_kernel_profile(const KernelProfile& profile, Fact& fact);

/// Runs kernels at the largest bench shape that fits, in a process of ours under the tool, which
/// replays each launch until all counters are read. Takes seconds. Thread-safe, one at a time.
class NsightCompute {
 public:
  /// Where the tool is, asked when it is needed.
  using Find = Result<std::string> (*)();

  /// Task and GPU are borrowed. `tools_dir`: folder of kernelevolve-cuda. `cold`: caches are
  /// flushed in front of each launch, as they are for timed calls.
  NsightCompute(const Task& task, const GpuInfo& gpu, Find find, std::string tools_dir, bool cold)
      : task_(task), gpu_(gpu), find_(find), tools_dir_(std::move(tools_dir)), cold_(cold) {}

  /// On the GPU with this index, of the model that was borrowed. Why no kernel can be profiled here
  /// is found out and told once: later profiles are empty.
  KernelProfile profile(const GpuBuilt& built, int index);

 private:
  Result<KernelProfile> measure(const GpuBuilt& built, int index);
  Result<std::string> calls(const GpuBuilt& built, const Workload& workload, int index) const;
  KernelProfile run(const std::string& program, const std::string& calls);

  const Task& task_;
  const GpuInfo& gpu_;
  Find find_;
  std::string tools_dir_;
  bool cold_;
  std::mutex mutex_;
  std::set<std::string> unknown_;  ///< metrics that this tool does not know for this GPU
  int failures_ = 0;               ///< in a row; enough of them and the tool is not asked again
};

}  // namespace ke::gpu
