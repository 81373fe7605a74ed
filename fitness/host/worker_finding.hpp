#pragma once
// Converts the state of a worker process to a finding about its candidate.

#include <optional>

#include "fitness/host/worker.hpp"
#include "fitness/judging/finding.hpp"

namespace ke {

/// The finding for a round that did not end in a stop. `loading`: the load failed, not a call.
std::optional<Finding> finding_of(const Round& round, bool loading);
/// The finding for a worker that stopped where no honest one does.
Finding stopped_early();
/// The finding for a stopped worker's state.
std::optional<Finding> finding_of(const Inspection& seen, int threads_allowed);

}  // namespace ke
