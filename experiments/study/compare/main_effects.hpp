#pragma once
// Main effects of a factorial sweep: what each setting does, averaged over all others.

#include <span>
#include <string>
#include <vector>

#include "experiments/study/compare/comparison.hpp"
#include "experiments/study/compare/load.hpp"

namespace ke {

/// Levels of one factor compared with the reference arm's, each with the runs of all arms that have
/// it. `comparison.arms` are levels.
struct FactorEffects {
  std::string factor;  ///< path of the option
  ArmComparison comparison;
};

/// Empty unless the arms are all combinations of at least two factors with two levels or more
/// [Montgomery2012]. Settings that always vary together are one factor; what a run reaches is
/// averaged over the other factors by task, device and seed, where all of them have a run. The
/// analysis is that of the arms, with the levels of each factor as a family of their own.
Result<std::vector<FactorEffects>> main_effects(const ComparedRuns& runs, const Analysis& analysis,
                                                std::span<const Observation> observations,
                                                const ValueRange& objective);

}  // namespace ke
