#pragma once
// Runs single jobs, for verbs that measure outside of a search.

#include <string_view>

#include "core/evaluator.hpp"

namespace ke {

/// Submits a job and waits for its fact. No other job may be in flight. Error: the job is refused,
/// or the task's reference failed.
Result<Fact> ask(Evaluator& evaluator, const Job& job);

/// Repeats a job up to three times while the machine is too noisy, each time as a separate
/// measurement. `purpose` separates its keys from those of searches and other verbs.
Result<Fact> ask_reliably(Evaluator& evaluator, Job job, std::string_view purpose);

}  // namespace ke
