#pragma once
// Reads the experiment and the task of a run back from its file.

#include <string>
#include <vector>

#include "core/history.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// Reads the experiment from the run's stored canonical text. Overrides may only change options
/// outside the configuration's identity (lanes). `file` is for messages.
Result<Experiment> stored_experiment(const RunHeader& header, const std::string& file,
                                     const std::vector<std::string>& overrides);

/// Reads the experiment with arbitrary overrides.
Result<Experiment> changed_experiment(const RunHeader& header, const std::string& file,
                                      const std::vector<std::string>& overrides);

/// Reads the run's task from `tasks` (a folder; "" = its place when the run began). Error if its
/// content has changed since the run began.
Result<Subject> stored_subject(const Experiment& experiment, const RunHeader& header,
                               const std::string& file, const std::string& tasks);

}  // namespace ke
