#pragma once
// Experiments whose strategy searches vectors: how their sections are read and put together.

#include "core/numeric/numeric_search.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// Whether `strategy.kind` names a numeric strategy.
bool is_numeric(const Node& document);

/// Reads `device`, `strategy` and `archive`; the sections of kernel searches (islands, operators,
/// acceptance) are unknown here.
void read_numeric(Params& top, Experiment& experiment);

/// What is optimised; no kernels in it.
Subject numeric_subject(const Experiment& experiment);

/// All parts of one run, made afresh.
NumericPlan make_numeric_plan(const Experiment& experiment, const RunHeader& header);

/// Axes of the archive for SqliteStore::describe_archive.
std::vector<AxisShape> numeric_axes(const Experiment& experiment);

}  // namespace ke
