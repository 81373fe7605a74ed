#pragma once
// Runs single jobs, for verbs that measure outside of a search.

#include <string>
#include <string_view>
#include <vector>

#include "core/evaluator.hpp"
#include "core/search/dispatcher.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Submits a job and waits for its fact. No other job may be in flight. Error: the job is refused,
/// or the task's reference failed.
Result<Fact> ask(Evaluator& evaluator, const Job& job);

/// Repeats a job up to three times while the machine is too noisy, each time as a separate
/// measurement. `purpose` separates its keys from those of searches and other verbs.
Result<Fact> ask_reliably(Evaluator& evaluator, Job job, std::string_view purpose);

struct TriedOpponents {
  /// For each that is left out: a form that torch.compile cannot make, or a vendor's library that
  /// this machine lacks.
  std::vector<std::string> warnings;
  std::string times;  ///< a line for prompts; "" = unknown
};

/// Calls opponents of one device once, at the first bench shape, so that one that cannot run is
/// found before anything is proposed. `stop` ends it early. Error of kind config, in the opponent's
/// own words.
Result<TriedOpponents> try_opponents(Evaluator& evaluator, std::size_t device, const Task& task,
                                     const std::vector<std::string>& names, const StopToken& stop);

}  // namespace ke
