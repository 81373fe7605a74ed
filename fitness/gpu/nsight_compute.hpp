#pragma once
// NVIDIA's Nsight Compute: a kernel's hardware counters, and what limits it according to them.

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

/// The kernels to profile.
enum class Profiled {
  off,
  champions,  ///< the kernels that sanitizers check
  elites,     ///< challengers that win a duel, too
};

/// A kernel's profile: measures and sentences, or why there are none.
struct KernelProfile {
  std::map<std::string, double> measures;  ///< named as in ncu_metrics.hpp
  std::vector<std::string> sentences;
  std::string not_applicable;  ///< "" = measured; else a failure of the machine or the tool
  bool for_good = false;       ///< `not_applicable` holds for all kernels
};

/// Finds the program in PATH, in CUDA's folder and in the folders of its own packages. Error: the
/// places searched, and what to install.
Result<std::string> find_nsight_compute();
/// The first of these programs that identifies itself as Nsight Compute, or "". Other programs are
/// called ncu, too.
std::string first_nsight_compute(const std::vector<std::string>& places);

/// The metrics among `asked` that the tool's output reports as unknown.
std::vector<std::string> unknown_metrics(std::string_view text,
                                         const std::vector<std::string>& asked);

/// Parses a run of the tool.
KernelProfile profile_of_run(const LimitedRun& run);

/// Writes a profile into a job's fact: measures, and the list `profile` in its feedback; the reason
/// for a missing profile becomes a policy flag.
void take_kernel_profile(const KernelProfile& profile, Fact& fact);

/// Runs kernels at the largest bench shape that fits, in a process of ours under the tool, which
/// replays each launch until it has read all counters. Takes seconds. Thread-safe, one at a time.
class NsightCompute {
 public:
  /// Locates the tool; called on first use.
  using Find = Result<std::string> (*)();

  /// Borrows task and GPU. `tools_dir`: folder of kernelevolve-cuda. `cold`: flushes caches before
  /// each launch, as timed calls do.
  NsightCompute(const Task& task, const GpuInfo& gpu, Find find, std::string tools_dir, bool cold)
      : task_(task), gpu_(gpu), find_(find), tools_dir_(std::move(tools_dir)), cold_(cold) {}

  /// Profiles on the GPU with this index, of the same model as the borrowed one. If no kernel can
  /// be profiled here, the first profile says why and later ones are empty.
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
  std::set<std::string> unknown_;  ///< metrics that this tool lacks for this GPU
  int failures_ = 0;  ///< consecutive failures; after enough of them the tool is no longer used
};

}  // namespace ke::gpu
