#pragma once
// What a run file tells of the run that wrote it: its experiment and its task, read again.

#include <string>
#include <vector>

#include "core/history.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// The experiment of a run from its stored canonical text. Overrides may change what is outside the
/// configuration's identity (lanes), nothing else. `file` is for messages.
Result<Experiment> stored_experiment(const RunHeader& header, const std::string& file,
                                     const std::vector<std::string>& overrides);

/// The same with overrides that may change anything.
Result<Experiment> changed_experiment(const RunHeader& header, const std::string& file,
                                      const std::vector<std::string>& overrides);

/// The run's task, from `tasks` (a folder; "" = where it was when the run began). Error when its
/// content is no longer the one that the run began with.
Result<Subject> stored_subject(const Experiment& experiment, const RunHeader& header,
                               const std::string& file, const std::string& tasks);

}  // namespace ke
