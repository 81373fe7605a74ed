#pragma once
// Times kernels against the anchor at every deciding shape.
// Caches an evaluator's answers in a folder, so that nothing is measured twice.

#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/search/job_maker.hpp"
#include "experiments/dispatch/choose.hpp"
#include "experiments/dispatch/gpu_codes.hpp"
#include "experiments/run/config/experiment.hpp"
#include "fitness/judging/judge.hpp"
#include "fitness/task.hpp"

namespace ke {

class KeptAnswers {
 public:
  /// The folder is created when the first answer is stored.
  KeptAnswers(Evaluator& evaluator, std::string folder)
      : evaluator_(evaluator), folder_(std::move(folder)) {}

  /// Returns the stored answer, or measures one that is durable on return. Asks up to three times
  /// while the machine is too noisy; does not store an answer that stays noisy.
  Result<Fact> ask(const Job& job);

 private:
  Evaluator& evaluator_;
  std::string folder_;
};

/// Name of the baseline that stands for the finished library.
inline constexpr std::string_view dispatcher_name = "dispatcher";

/// Labels of workloads.
using Labels = std::vector<std::string>;

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
  /// Checks the kernel and times it against the anchor with one cluster. It must build.
  Result<Fact> screen(const Kernel& kernel, const Digest& build, const Labels& shapes);
  /// Compares two kernels of which screens said that they are right.
  Result<Fact> duel(const Kernel& kernel, const Digest& build, const Kernel& other,
                    const Digest& other_build, const Labels& shapes);
  /// Verifies in fresh processes and judges every shape. The opponent is a name of the task.
  Result<Fact> verify(const Kernel& kernel, const Digest& build, const std::string& opponent,
                      const Labels& shapes);
  double within() const { return rules_.verify_within; }
  /// Goal for timing one verification, in seconds.
  double verify_seconds() const { return static_cast<double>(rules_.verify_ns) * 1e-9; }

 private:
  MeasuringBench(std::shared_ptr<const Task> task, std::unique_ptr<Evaluator> evaluator,
                 const std::string& answers);

  std::shared_ptr<const Task> task_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<const KernelCodes> codes_;
  JobMaker jobs_;
  KeptAnswers answers_;
  JudgingRules rules_;
  std::string warning_;
};

/// A speedup with the times of one call that it stands for; 0 = unknown.
struct TimedFigure : SpeedupFigure {
  double kernel_ns = 0;
  double opponent_ns = 0;
};

/// Figure of a fact at a workload; speedup 0 and a note if there is none.
TimedFigure figure_at(const Fact& fact, const std::string& shape);

/// Workloads that decide, in the task's order.
std::vector<Workload> deciding_workloads(const Task& task);

}  // namespace ke
