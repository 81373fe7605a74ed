#pragma once
// Proves that arms differ only in the declared factor; prints the proof as text and as JSON.

#include <string>
#include <vector>

#include "experiments/study/sweep/rules.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Differences of one arm from the reference.
struct ArmDiff {
  std::string arm;
  std::vector<ArmDifference> differences;

  /// True if the arm differs, and only in declared options.
  bool proven() const;
};

/// Differences of all arms but the reference.
std::vector<ArmDiff> diff_arms(const Sweep& sweep);

/// Writes a unified diff per arm of the differing canonical lines; marks undeclared ones.
std::string text_of(const std::vector<ArmDiff>& diffs, const std::string& reference);

Json json_of(const std::vector<ArmDiff>& diffs);

}  // namespace ke
