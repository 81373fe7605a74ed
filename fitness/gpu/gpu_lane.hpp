#pragma once
// One GPU of a run: everything in its context, on the thread that opened it.

#include <atomic>
#include <memory>
#include <string>

#include "fitness/content/reference.hpp"
#include "fitness/gpu/gpu_judge.hpp"

namespace ke::gpu {

/// Shared by the lanes of a run. All borrowed.
struct LaneParts {
  const Task& task;
  const Reference& reference;
  const Driver& driver;
  const std::string& tools_dir;
  const std::string& judge_cubin;
  const GpuRules& rules;
  const std::atomic<bool>& closing;                    ///< ends long jobs early
  unsigned content_threads = 1;                        ///< per lane, to call the oracle ahead
  std::shared_ptr<const PythonHome> python = nullptr;  ///< runs Python baselines; null = none
};

/// One lane judges a job from its first call to its last, so both arms of a pair run on the same
/// GPU.
class GpuLane {
 public:
  /// Makes the GPU's context current on this thread and allocates its memory. Borrows `parts` and
  /// `gpu`. Error: the GPU or its memory is not available.
  static Result<std::unique_ptr<GpuLane>> open(const LaneParts& parts, const GpuInfo& gpu);

  /// Fills the fact of a job whose arms are built.
  Result<void> run(const Job& job, const GpuArms& arms, Fact& fact) {
    return judge_.run(job, arms, fact);
  }
  /// Bytes read and written per ns by a long copy.
  Result<double> copy_rate() { return judge_.copy_rate(); }
  /// The lane's time so far, by activity.
  const LaneTime& time() const { return bench_.time; }

 private:
  GpuLane(const LaneParts& parts, const GpuInfo& gpu, std::unique_ptr<SecretRandom> random,
          std::unique_ptr<GpuMemory> memory);

  /// Starts what the first job of a task without kernels waits for, all at once.
  Result<void> start_python(const LaneParts& parts);

  std::unique_ptr<SecretRandom> random_;  ///< borrowed by `memory_`
  std::unique_ptr<GpuMemory> memory_;
  GpuOracle oracle_;
  GpuContents contents_;
  GpuWatch watch_;
  GpuWorker challenger_, opponent_;
  PythonServer baselines_;
  GpuBench bench_;
  GpuJudge judge_;
};

}  // namespace ke::gpu
