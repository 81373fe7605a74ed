#pragma once
// Extends a finished run with a larger budget, as a new run that begins with the results of the
// finished one.

#include <string>
#include <vector>

#include "core/history.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/run_one.hpp"

namespace ke {

/// Experiment of a finished run with a larger budget. Errors: overrides that change anything but
/// `budget`, `safety` and `verify`, or that leave no budget beyond the run's end.
Result<Experiment> extended_experiment(const RunHeader& header, const std::string& file,
                                       const std::vector<std::string>& overrides);

/// File of a run's extension, in the run's folder.
std::string extended_file(const std::string& file);

/// Creates the file of `request` with all facts and model answers of `finished`: its search takes
/// the same steps and measures nothing again before the old end.
Result<void> create_extension(const RunRequest& request, const std::string& finished);

}  // namespace ke
