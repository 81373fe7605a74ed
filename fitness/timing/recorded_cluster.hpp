#pragma once
// From the samples that are journaled to the quads and clocks that the statistics read.

#include <optional>
#include <vector>

#include "core/evaluation.hpp"
#include "fitness/timing/contention.hpp"
#include "fitness/timing/duel_rule.hpp"
#include "fitness/timing/quad.hpp"

namespace ke {

/// The quads of a recorded cluster, in order. Empty when the order is not a sequence of ABBA and
/// BAAB with one sample a letter: a damaged or foreign record.
std::optional<std::vector<Quad>> quads_of(const Cluster& cluster);

/// Both clocks of each sample, in order. Empty when there is not one CPU time a sample.
std::optional<std::vector<ClockSample>> clocks_of(const Cluster& cluster);

/// The decision as it is journaled: a duel that goes on has decided nothing yet.
Decision recorded(DuelDecision decision);

}  // namespace ke
