#pragma once
// Reads and assembles experiments whose strategy searches vectors.

#include "core/numeric/numeric_search.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// True if `strategy.kind` names a numeric strategy.
bool is_numeric(const Node& document);

/// Reads `device`, `strategy` and `archive`. Sections of kernel searches (islands, operators,
/// acceptance) are errors, as any unknown key is.
void read_numeric(Params& top, Experiment& experiment);

/// Subject of a numeric search; it has no kernels.
Subject numeric_subject(const Experiment& experiment);

/// Makes new parts for one run.
NumericPlan make_numeric_plan(const Experiment& experiment, const RunHeader& header);

/// Axes of the archive for SqliteStore::describe_archive.
std::vector<AxisShape> numeric_axes(const Experiment& experiment);

}  // namespace ke
