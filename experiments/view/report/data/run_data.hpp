#pragma once
// Data of one run for the page of a report.

#include <memory>

#include "archive/run_reader.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Everything that the page shows about a run. Every figure is a row of the run file, or a count or
/// sum of rows. `kernels` = false leaves out the candidates; the rest is small for any run.
Result<Json> run_data(const std::shared_ptr<const RunReader>& reader, bool kernels);

/// The part of run_data() that a page of several runs lists: identity, state, cost, limits, the
/// champion's verified figures without their workloads, and the best objective wherever it rose.
Json run_index(const Json& run_data);

}  // namespace ke
