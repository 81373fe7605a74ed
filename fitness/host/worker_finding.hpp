#pragma once
// What the state of a worker process says of the candidate in it.

#include <optional>

#include "fitness/host/worker.hpp"
#include "fitness/judging/finding.hpp"

namespace ke {

/// Verdict of a round that did not end in a stop. `loading`: it was the load, not a call.
std::optional<Finding> finding_of(const Round& round, bool loading);
/// Verdict of a worker that stopped where no honest one does.
Finding stopped_early();
/// Verdict of a stopped worker's state.
std::optional<Finding> finding_of(const Inspection& seen, int threads_allowed);

}  // namespace ke
