#pragma once
// Assembles the parts of one run from an experiment.

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/search/plan.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// Kind of one device of an experiment.
std::unique_ptr<EvaluatorKind> evaluator_kind(const Experiment& experiment, std::size_t device = 0);

/// Kind of the section `device`, for islands that name none.
std::unique_ptr<EvaluatorKind> common_kind(const Experiment& experiment);

/// True if no device of the experiment measures anything.
bool is_simulated(const Experiment& experiment);

/// Reads a task of the experiment, with the lessons of earlier runs for its prompts. `beside` is
/// the folder of the experiment's file. Error also if this machine lacks something that a device
/// needs.
Result<Subject> read_subject(const Experiment& experiment, const std::string& task,
                             const std::string& beside);
/// Reads the task without lessons. If `folders` names a folder for a device, reads the task there.
Result<Subject> read_subject_alone(const Experiment& experiment, const std::string& task,
                                   const std::string& beside,
                                   const std::vector<std::string>& folders = {});

/// Starts an evaluator that only compiles kernels, for the first device.
Result<StartedEvaluator> start_compiler(const Experiment& experiment, const Subject& subject);

/// `notes` receives lines for people whenever the evaluator is polled; null = nobody does.
Result<StartedEvaluator> start_evaluator(const Experiment& experiment, const Subject& subject,
                                         const std::string& cache_folder, std::int64_t seed,
                                         std::ostream* notes = nullptr);
/// Starts one device; `subject` is that of the run.
Result<StartedEvaluator> start_device(const Experiment& experiment, std::size_t device,
                                      const Subject& subject, const std::string& cache_folder,
                                      std::int64_t seed, std::ostream* notes = nullptr);

/// Measures that axes in the experiment's section `archive` may name.
std::vector<AxisInfo> measures_of(const Experiment& experiment);
/// Measures of one device.
std::vector<AxisInfo> measures_of(const Experiment& experiment, std::size_t device);

/// Identity of the run; its history hash starts from this header.
RunHeader make_header(const Experiment& experiment, const Subject& subject, std::int64_t seed);

/// Makes new components for each plan: plans share nothing.
SearchPlan make_plan(const Experiment& experiment, const Subject& subject, std::int64_t seed);

/// Lessons of the snapshot in the subject's language. Omits those of the subject's own family,
/// unless the plan allows them, and those that the plan excludes. Looks for the file below
/// `beside`, then below the working folder. Errors are those of `read_lessons`, at the place of the
/// option.
Result<std::vector<Passage>> remembered(const MemoryPlan& memory, const Subject& subject,
                                        const std::string& beside);

}  // namespace ke
