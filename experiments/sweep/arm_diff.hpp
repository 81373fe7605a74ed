#pragma once
// The proof that arms differ in the declared factor alone, as text and as JSON.

#include <string>
#include <vector>

#include "experiments/cli/json.hpp"
#include "experiments/sweep/rules.hpp"

namespace ke {

/// What sets one arm apart from the reference.
struct ArmDiff {
  std::string arm;
  std::vector<ArmDifference> differences;

  /// It differs, and only where it is declared to.
  bool proven() const;
};

/// Of all arms but the reference.
std::vector<ArmDiff> diff_arms(const Sweep& sweep);

/// A unified diff an arm, of the canonical lines that differ; undeclared ones are marked.
std::string text_of(const std::vector<ArmDiff>& diffs, const std::string& reference);

Json json_of(const std::vector<ArmDiff>& diffs);

}  // namespace ke
