#pragma once
// Data of one run for the page of a report.

#include <string>

#include "archive/run_reader.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Everything that the page shows about a run. Every figure is a row of the run file, or a count or
/// sum of rows. `kernels` = false leaves out the candidates; the rest is small for any run.
Result<Json> run_data(const RunReader& reader, bool kernels);

}  // namespace ke
