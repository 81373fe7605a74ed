#pragma once
// Kernels timed against the anchor at every shape that decides.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/search/job_maker.hpp"
#include "experiments/dispatch/choose.hpp"
#include "experiments/dispatch/gpu_codes.hpp"
#include "experiments/dispatch/kept_answers.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// Name of the baseline that is the library which was made.
inline constexpr std::string_view dispatcher_name = "dispatcher";

/// A processor or NVIDIA GPU with its judge, for one task.
class MeasuringBench {
 public:
  /// Whether runs of this kind of device can be measured.
  static bool takes(const std::string& kind);
  /// With the options of the experiment's device. `answers`: folder of what was measured before.
  /// `readable`: files that baselines of the task may open.
  static Result<std::unique_ptr<MeasuringBench>> start(const Experiment& experiment,
                                                       std::shared_ptr<const Task> task,
                                                       const std::string& cache_folder,
                                                       const std::string& answers,
                                                       std::vector<std::string> readable = {});

  const Task& task() const { return *task_; }
  const std::shared_ptr<const Task>& task_ptr() const { return task_; }
  const std::string& device_class() const { return evaluator_->info().device_class; }
  /// Baselines that are no kernels of the task, as users would call them.
  std::vector<std::string> libraries() const;
  std::string processor() const;   ///< name of the processor or GPU
  std::string extensions() const;  ///< as DispatchDevice says
  /// Makes machine code for a GPU. Null for a processor, where build.sh compiles the kernels.
  const GpuCodes* codes() const { return codes_ ? &*codes_ : nullptr; }
  const std::string& warning() const { return warning_; }  ///< e.g. weak walls; "" = none

  /// Compiles and describes.
  Result<Fact> build(const Kernel& kernel);
  /// One cluster a shape. The kernel builds.
  Result<Fact> screen(const Kernel& kernel, const Digest& build);
  /// In fresh processes, every shape judged. The opponent is a name of the task.
  Result<Fact> verify(const Kernel& kernel, const Digest& build, const std::string& opponent,
                      const std::vector<std::string>& roles);

 private:
  MeasuringBench(std::shared_ptr<const Task> task, std::unique_ptr<Evaluator> evaluator,
                 const std::string& answers);

  std::shared_ptr<const Task> task_;
  std::unique_ptr<Evaluator> evaluator_;
  std::optional<GpuCodes> codes_;
  JobMaker jobs_;
  KeptAnswers answers_;
  std::string warning_;
};

/// Workloads that decide, in the order of the task.
std::vector<Workload> deciding_workloads(const Task& task);

/// The figure of a fact at a workload; speedup 0, and a note, where there is none.
SpeedupFigure figure_at(const Fact& fact, const Workload& workload);

}  // namespace ke
