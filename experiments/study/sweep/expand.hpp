#pragma once
// Expands `arms`, `zip` and `grid` of a sweep to its list of arms.

#include <string>
#include <vector>

#include "experiments/study/sweep/sweep.hpp"

namespace ke {

/// Sections of a sweep's document; null if absent.
struct ArmSources {
  const Node* arms = nullptr;
  const Node* zip = nullptr;
  const Node* grid = nullptr;
  const Node* labels = nullptr;  ///< what arms are called where they are shown
};

/// Cross product of arms, rows of zip and points of grid, in document order. An axis whose `when`
/// does not hold keeps its value from the base and the arm. Logs malformed parts in `errors`, each
/// with its place; the list is then incomplete.
std::vector<ArmSpec> expand_arms(const ArmSources& sources, const Node& base,
                                 const std::string& beside, std::vector<std::string>& errors);

}  // namespace ke
