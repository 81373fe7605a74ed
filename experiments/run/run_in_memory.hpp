#pragma once
// Runs a search without saving it.

#include "core/search/observer.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

/// Searches to the end without writing anything. The history hash equals that of a saved run of the
/// same plan. For simulated kinds only: their facts are cheap to compute again.
Result<StopRecord> run_in_memory(const Experiment& experiment, const Subject& subject,
                                 std::int64_t seed, SearchObserver& observer);

}  // namespace ke
