#pragma once
// From `arms`, `zip` and `grid` of a sweep to its list of arms.

#include <string>
#include <vector>

#include "experiments/sweep/sweep.hpp"

namespace ke {

/// Parts of a sweep's document; null where a key is absent.
struct ArmSources {
  const Node* arms = nullptr;
  const Node* zip = nullptr;
  const Node* grid = nullptr;
};

/// The cross product of arms, rows of zip, and points of grid, in document order. An axis whose
/// `when` does not hold keeps the value that it has without the axis. Malformed parts are logged in
/// `errors`, each with its place; the list is then not whole.
std::vector<ArmSpec> expand_arms(const ArmSources& sources, const Node& base,
                                 const std::string& beside, std::vector<std::string>& errors);

}  // namespace ke
