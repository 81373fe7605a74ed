#pragma once
// One GPU of a run: everything that lives in its context, on the thread that opened it.

#include <atomic>
#include <memory>
#include <string>

#include "fitness/content/reference.hpp"
#include "fitness/gpu/gpu_judge.hpp"

namespace ke::gpu {

/// What the lanes of a run share. All borrowed.
struct LaneParts {
  const Task& task;
  const Reference& reference;
  const Driver& driver;
  const std::string& tools_dir;
  const std::string& judge_cubin;
  const GpuRules& rules;
  const std::atomic<bool>& closing;                    ///< ends long jobs early
  unsigned content_threads = 1;                        ///< of each lane, that ask the oracle ahead
  std::shared_ptr<const PythonHome> python = nullptr;  ///< of baselines; null = none
};

/// A job is judged on one lane from its first call to its last, so the arms of a pair never run on
/// different GPUs.
class GpuLane {
 public:
  /// Makes the GPU's context current on this thread and takes its memory. `parts` and `gpu` are
  /// borrowed. Error: the GPU or its memory cannot be had.
  static Result<std::unique_ptr<GpuLane>> open(const LaneParts& parts, const GpuInfo& gpu);

  /// Fills the fact of a job whose arms were built.
  Result<void> run(const Job& job, const GpuArms& arms, Fact& fact) {
    return judge_.run(job, arms, fact);
  }
  /// Bytes read and written per ns by a long copy.
  Result<double> copy_rate() { return judge_.copy_rate(); }
  /// Where its time went so far.
  const LaneTime& time() const { return bench_.time; }

 private:
  GpuLane(const LaneParts& parts, const GpuInfo& gpu, std::unique_ptr<SecretRandom> random,
          std::unique_ptr<GpuMemory> memory);

  std::unique_ptr<SecretRandom> random_;  ///< lent to `memory_`
  std::unique_ptr<GpuMemory> memory_;
  GpuContents contents_;
  GpuWatch watch_;
  GpuWorker challenger_, opponent_;
  ModuleWorker module_;
  GpuBench bench_;
  GpuJudge judge_;
};

}  // namespace ke::gpu
