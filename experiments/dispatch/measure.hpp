#pragma once
// Times kernels against the anchor at every deciding shape.

#include <memory>
#include <string>
#include <vector>

#include "core/search/job_maker.hpp"
#include "experiments/dispatch/choose.hpp"
#include "experiments/dispatch/kept_answers.hpp"
#include "experiments/dispatch/kernel_codes.hpp"
#include "experiments/run/config/experiment.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Name of the baseline that stands for the finished library.
inline constexpr std::string_view dispatcher_name = "dispatcher";

/// A device with its judge, for one task.
class MeasuringBench {
 public:
  /// True if runs of this kind of device can be measured.
  static bool takes(const std::string& kind);
  /// Starts with the options of the experiment's device. `answers`: folder of earlier measurements.
  /// `readable`: files that baselines of the task may open.
  static Result<std::unique_ptr<MeasuringBench>> start(const Experiment& experiment,
                                                       std::shared_ptr<const Task> task,
                                                       const std::string& cache_folder,
                                                       const std::string& answers,
                                                       std::vector<std::string> readable = {});

  const Task& task() const { return *task_; }
  const std::shared_ptr<const Task>& task_ptr() const { return task_; }
  const std::string& device_class() const { return evaluator_->info().device_class; }
  /// Baselines that are not kernels of the task, as users would call them.
  std::vector<std::string> libraries() const;
  std::string processor() const;   ///< name of the processor or device
  std::string extensions() const;  ///< in the format of DispatchDevice
  /// Makes the code of launched kernels. Null for a processor, where build.sh compiles kernels.
  const KernelCodes* codes() const { return codes_.get(); }
  const std::string& warning() const { return warning_; }  ///< e.g. a weak sandbox; "" = none

  /// Compiles and describes the kernel.
  Result<Fact> build(const Kernel& kernel);
  /// Times the kernel with one cluster per shape. The kernel must build.
  Result<Fact> screen(const Kernel& kernel, const Digest& build);
  /// Verifies in fresh processes and judges every shape. The opponent is a name of the task.
  Result<Fact> verify(const Kernel& kernel, const Digest& build, const std::string& opponent,
                      const std::vector<std::string>& roles);

 private:
  MeasuringBench(std::shared_ptr<const Task> task, std::unique_ptr<Evaluator> evaluator,
                 const std::string& answers);

  std::shared_ptr<const Task> task_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<const KernelCodes> codes_;
  JobMaker jobs_;
  KeptAnswers answers_;
  std::string warning_;
};

/// Workloads that decide, in the task's order.
std::vector<Workload> deciding_workloads(const Task& task);

/// Figure of a fact at a workload; speedup 0 and a note if there is none.
SpeedupFigure figure_at(const Fact& fact, const Workload& workload);

}  // namespace ke
