#pragma once
// Interface between an experiment and a kind of evaluator: options, tasks and start.
// Checks whether a kind of device accepts a task.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/axis.hpp"
#include "archive/roofline.hpp"
#include "core/evaluator.hpp"
#include "core/knowledge_index.hpp"
#include "core/language.hpp"
#include "core/operator.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"
#include "core/task_contract.hpp"
#include "experiments/run/config/experiment.hpp"
#include "fitness/landscape/problem.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Returns the language of a task's kernels if devices of this kind can judge it. The error names a
/// device that can.
Result<std::shared_ptr<const Language>> require_language(const Task& task, std::string_view kind);

/// Wraps a shipped language for sharing.
std::shared_ptr<const Language> shared_language(std::string_view name);

/// The object of optimisation: a task read from its folder, a function, or a recorded landscape.
struct Subject {
  std::string name;
  Digest hash;                       ///< covers everything that decides a verdict or a figure
  std::string text;                  ///< for prompts
  std::vector<Seed> seeds;           ///< the first one is the anchor
  Seed naive;                        ///< empty source = none
  Seed interface = {};               ///< shown to models if `seeds` is empty
  std::shared_ptr<const Task> task;  ///< null for functions
  TaskContract contract;             ///< task contract for prompts
  std::shared_ptr<const LandscapeProblem> landscape;  ///< null for other subjects
  std::vector<Passage> lessons = {};                  ///< lessons of earlier runs for prompts
  std::string origin;  ///< folder or file that the subject was read from; "" = none
  std::shared_ptr<const Language> language = nullptr;  ///< kernels' language; null = that of the
                                                       ///< seeds
  /// Per-device subjects of a run with several devices; the other members are those of the first
  /// device, except the hash, which covers all. Empty = one device.
  std::vector<Subject> devices = {};

  const Subject& on(std::size_t device) const { return devices.empty() ? *this : devices[device]; }
};

/// Inputs of a start, besides the options.
struct EvaluatorSetup {
  AcceptancePlan acceptance;
  std::string cache_folder;  ///< cache of builds; "" = none
  std::string tools_folder;  ///< folder of kernelevolve-worker and kernelevolve-sandbox
  std::int64_t seed = 0;     ///< seed of the run, for simulated noise
  bool sheet = false;        ///< true: the evaluator's info includes a device sheet
  /// Takes lines for people from any thread; may be null.
  std::function<void(const std::string& line)> tell = nullptr;
};

/// A started evaluator.
struct StartedEvaluator {
  std::unique_ptr<Evaluator> evaluator;
  std::string sandbox_level;
  std::string warning = {};  ///< e.g. a weaker sandbox than wanted; "" = none
};

class EvaluatorKind {
 public:
  virtual ~EvaluatorKind() = default;
  /// Declares and checks the options below `device`.
  virtual void declare(Params& device) const = 0;
  /// Default tasks for an experiment that names none.
  virtual std::vector<std::string> default_tasks(Params&) const { return {}; }
  /// Option below `device` that names the task, for kinds whose device holds it; a sweep over tasks
  /// sets it. "" = none.
  virtual std::string_view task_option() const { return ""; }
  /// Reads a task by name or folder; `beside` is searched first.
  virtual Result<Subject> subject(Params& device, const std::string& task,
                                  const std::string& beside) const = 0;
  /// Error if this machine lacks something that a start needs. Called before anything is created
  /// for a run, and not when recorded facts answer instead.
  virtual Result<void> ready(Params&) const { return {}; }
  virtual Result<StartedEvaluator> start(Params& device, const Subject& subject,
                                         const EvaluatorSetup& setup) const = 0;
  /// Starts an evaluator that only compiles kernels, if that has lower requirements.
  virtual Result<StartedEvaluator> start_compiler(Params& device, const Subject& subject,
                                                  const EvaluatorSetup& setup) const {
    return start(device, subject, setup);
  }
  /// Measures of a kernel that archive axes may name.
  virtual std::vector<AxisInfo> measures(Params& device) const = 0;
  /// Measures that the tasks' files record and axes may not name yet, for messages.
  virtual std::vector<AxisInfo> recorded_measures(const std::vector<std::string>& /*tasks*/,
                                                  const std::string& /*beside*/) const {
    return {};
  }
  /// Default acceptance rule: point or noisy_duel.
  virtual std::string_view default_rule() const { return simulated() ? "point" : "noisy_duel"; }
  /// Default archive axes, as YAML.
  virtual std::string default_axes(Params& device) const = 0;
  /// Peak rates of the device, measured now in milliseconds. Empty if they cannot be measured.
  virtual std::vector<Ceiling> ceilings() const { return {}; }
  /// True if nothing is measured and a run is cheap to repeat. Such a run may lose its last 100 ms
  /// in a killed process, more in a power cut; `resume` reproduces the same history either way.
  virtual bool simulated() const { return false; }
};

using EvaluatorKindFactory = std::unique_ptr<EvaluatorKind> (*)();

/// All kinds, sorted by name.
std::span<const Component<EvaluatorKindFactory>> evaluator_kinds();

#define KE_EVALUATOR(name, doc) std::unique_ptr<EvaluatorKind> make_##name##_kind();
#include "experiments/run/evaluators/evaluators.def"
#undef KE_EVALUATOR

}  // namespace ke
