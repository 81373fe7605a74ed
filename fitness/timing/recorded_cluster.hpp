#pragma once
// Converts journaled samples to the quads and clock samples that the statistics use.

#include <optional>
#include <vector>

#include "core/evaluation.hpp"
#include "fitness/timing/cluster.hpp"
#include "fitness/timing/contention.hpp"
#include "fitness/timing/duel_rule.hpp"

namespace ke {

/// The quads of a recorded cluster, in order. Empty when the order is not a sequence of ABBA and
/// BAAB with one sample per letter: a damaged or foreign record.
std::optional<std::vector<Quad>> quads_of(const Cluster& cluster);

/// Both clocks of each sample, in order. Empty unless there is one CPU time per sample.
std::optional<std::vector<ClockSample>> clocks_of(const Cluster& cluster);

/// The decision as journaled: a duel that continues is not decided.
Decision recorded(DuelDecision decision);

}  // namespace ke
