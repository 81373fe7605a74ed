#pragma once
// One job at a time, for verbs that measure outside of a search.

#include <string_view>

#include "core/evaluator.hpp"

namespace ke {

/// Submits a job and waits for its fact. Nothing else may be in flight. Error: the job is refused,
/// or the task's reference failed.
Result<Fact> ask(Evaluator& evaluator, const Job& job);

/// Asks up to three times while the machine is too noisy to tell, each time as a measurement of its
/// own. `purpose` keeps its keys apart from those of searches and of other verbs.
Result<Fact> ask_reliably(Evaluator& evaluator, Job job, std::string_view purpose);

}  // namespace ke
