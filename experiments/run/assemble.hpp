#pragma once
// From an experiment to the parts of one run.

#include <memory>
#include <string>

#include "core/search/plan.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// The kind of a device of an experiment.
std::unique_ptr<EvaluatorKind> evaluator_kind(const Experiment& experiment, std::size_t device = 0);

/// That of the section `device`, which islands have that name none.
std::unique_ptr<EvaluatorKind> common_kind(const Experiment& experiment);

/// Whether nothing is measured on any of its devices.
bool is_simulated(const Experiment& experiment);

/// Reads a task of the experiment, and what its prompts may be told of earlier runs. `beside` is
/// the folder of the experiment's file. Error also when this machine lacks what a device needs.
Result<Subject> read_subject(const Experiment& experiment, const std::string& task,
                             const std::string& beside);
/// The task alone. Where `folders` name one for a device, it is read from there.
Result<Subject> read_subject_alone(const Experiment& experiment, const std::string& task,
                                   const std::string& beside,
                                   const std::vector<std::string>& folders = {});

/// What compiles kernels for the first device and does nothing else.
Result<StartedEvaluator> start_compiler(const Experiment& experiment, const Subject& subject);

Result<StartedEvaluator> start_evaluator(const Experiment& experiment, const Subject& subject,
                                         const std::string& cache_folder, std::int64_t seed);
/// Of one device alone; `subject` is that of the run.
Result<StartedEvaluator> start_device(const Experiment& experiment, std::size_t device,
                                      const Subject& subject, const std::string& cache_folder,
                                      std::int64_t seed);

/// The measures that axes of the experiment's section `archive` may name.
std::vector<AxisInfo> measures_of(const Experiment& experiment);
/// Those of one device.
std::vector<AxisInfo> measures_of(const Experiment& experiment, std::size_t device);

/// What the run is; its history hash starts from it.
RunHeader make_header(const Experiment& experiment, const Subject& subject, std::int64_t seed);

/// Components are made afresh: plans share nothing.
SearchPlan make_plan(const Experiment& experiment, const Subject& subject, std::int64_t seed);

}  // namespace ke
