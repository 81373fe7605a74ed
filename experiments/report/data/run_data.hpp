#pragma once
// One run as the page of a report gets it.

#include <string>

#include "archive/run_reader.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// All that the page shows of a run. Every figure is a row of the run file, or a count or sum of
/// rows. With `kernels` false the candidates are left out: what remains is small for any run.
Result<Json> run_data(const RunReader& reader, bool kernels);

}  // namespace ke
