#pragma once
// Arms that differ in their configurations and in nothing else.

#include <span>
#include <string>
#include <vector>

#include "experiments/study/compare/load.hpp"

namespace ke {

/// A sentence for each pair of arms whose runs of the same task and seed took the same course, all
/// of them: equal proposals, evaluations, best objective and archive after each step. Only arms
/// with equal observations are looked into.
Result<std::vector<std::string>> inert_arms(const ComparedRuns& runs,
                                            std::span<const Observation> observations);

}  // namespace ke
