#pragma once
// A finished run goes on with a larger budget, as a run of its own that begins with what the
// finished one found out.

#include <string>
#include <vector>

#include "core/history.hpp"
#include "experiments/experiment.hpp"
#include "experiments/run/run_one.hpp"

namespace ke {

/// The experiment of a finished run with a larger budget. Errors: overrides that change anything
/// but `budget`, `safety` and `verify`, or that leave it no room beyond its end.
Result<Experiment> extended_experiment(const RunHeader& header, const std::string& file,
                                       const std::vector<std::string>& overrides);

/// Where the extension of a run stands: beside it.
std::string extended_file(const std::string& file);

/// Makes the file of `request` with all facts and answers of models that `finished` has: its search
/// takes the same steps and measures nothing again until it passes the old end.
Result<void> create_extension(const RunRequest& request, const std::string& finished);

}  // namespace ke
