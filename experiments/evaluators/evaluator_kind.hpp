#pragma once
// What an experiment needs to know of a kind of evaluator: its options, its tasks, how to start it.

#include <memory>
#include <string>
#include <vector>

#include "archive/axis.hpp"
#include "archive/roofline.hpp"
#include "core/evaluator.hpp"
#include "core/knowledge_index.hpp"
#include "core/operator.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"
#include "core/task_contract.hpp"
#include "experiments/experiment.hpp"
#include "fitness/landscape/problem.hpp"
#include "fitness/task.hpp"

namespace ke {

/// What is optimised: a task read from its folder, a function, or a recorded landscape.
struct Subject {
  std::string name;
  Digest hash;                       ///< of all that decides a verdict or a figure
  std::string text;                  ///< for prompts
  std::vector<Seed> seeds;           ///< the first one is the anchor
  Seed naive;                        ///< empty source = none
  Seed interface = {};               ///< what models are shown where `seeds` is empty
  std::shared_ptr<const Task> task;  ///< null for functions
  TaskContract contract;             ///< of a task, for prompts
  std::shared_ptr<const LandscapeProblem> landscape;  ///< null for all others
  std::vector<Passage> lessons = {};                  ///< of earlier runs that prompts may be told
  std::string origin;  ///< folder or file that it was read from; "" = none
  std::shared_ptr<const Language> language = nullptr;  ///< of its kernels; null = the seeds' own
  /// Of a run with several devices what each of them takes; all else is the first one's, but for
  /// the hash, which is of all. Empty = one device.
  std::vector<Subject> devices = {};

  const Subject& on(std::size_t device) const { return devices.empty() ? *this : devices[device]; }
};

/// What a start needs beside the options.
struct EvaluatorSetup {
  AcceptancePlan acceptance;
  std::string cache_folder;  ///< of builds; "" = none
  std::string tools_folder;  ///< of kernelevolve-worker and kernelevolve-sandbox
  std::int64_t seed = 0;     ///< of the run, for simulated noise
  bool sheet = false;        ///< whether the evaluator's info shall hold a device sheet
};

/// An evaluator at work.
struct StartedEvaluator {
  std::unique_ptr<Evaluator> evaluator;
  std::string sandbox_level;
  std::string warning = {};  ///< e.g. weaker walls than wanted; "" = none
};

class EvaluatorKind {
 public:
  virtual ~EvaluatorKind() = default;
  /// Declares and checks the options below `device`.
  virtual void declare(Params& device) const = 0;
  /// Names of tasks when the experiment gives none.
  virtual std::vector<std::string> default_tasks(Params&) const { return {}; }
  /// The option below `device` that names the task, for kinds whose device knows it; "" = none. A
  /// sweep over tasks sets it.
  virtual std::string_view task_option() const { return ""; }
  /// Reads a task by name or folder; `beside` is searched first.
  virtual Result<Subject> subject(Params& device, const std::string& task,
                                  const std::string& beside) const = 0;
  /// An error when this machine lacks what a start needs: asked before anything is made for a run,
  /// and not where recorded facts answer instead.
  virtual Result<void> ready(Params&) const { return {}; }
  virtual Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                         const EvaluatorSetup& setup) const = 0;
  /// What compiles kernels and does nothing else, where that needs less of the machine.
  virtual Result<StartedEvaluator> start_compiler(Params& device, const Subject& subject,
                                                  const EvaluatorSetup& setup) const {
    return start(device, subject, setup);
  }
  /// What it measures of a kernel: the measures that archive axes may name.
  virtual std::vector<AxisInfo> measures(Params& device) const = 0;
  /// The rule of acceptance when the experiment names none: point or noisy_duel.
  virtual std::string_view default_rule() const { return simulated() ? "point" : "noisy_duel"; }
  /// Axes of the archive when the experiment gives none, as YAML.
  virtual std::string default_axes(Params& device) const = 0;
  /// How fast the device can be, measured now: takes milliseconds. Empty where nobody knows how.
  virtual std::vector<Ceiling> ceilings() const { return {}; }
  /// True: nothing is measured, and a run is cheap to repeat: a killed process may lose what it did
  /// in its last 100 ms, a power cut more; either way `resume` goes on to the same history.
  virtual bool simulated() const { return false; }
};

using EvaluatorKindFactory = std::unique_ptr<EvaluatorKind> (*)();

/// All kinds, sorted by name.
std::span<const Component<EvaluatorKindFactory>> evaluator_kinds();

#define KE_EVALUATOR(name, doc) std::unique_ptr<EvaluatorKind> make_##name##_kind();
#include "experiments/evaluators/evaluators.def"
#undef KE_EVALUATOR

}  // namespace ke
