#pragma once
// A run that nobody keeps: the same search over stores that forget.

#include "core/search/observer.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// Searches to the end without writing anything. The history hash is that of a kept run of the same
/// plan. For simulated kinds alone: their facts cost nothing to ask again.
Result<StopRecord> run_in_memory(const Experiment& experiment, const Subject& subject,
                                 std::int64_t seed, SearchObserver& observer);

}  // namespace ke
