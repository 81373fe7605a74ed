#pragma once
// Checks the rules that a sweep's arms must obey, and proves that they differ only in the declared
// factor.

#include <string>
#include <vector>

#include "experiments/study/sweep/sweep.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Logs violations of the sweep's rules: budgets that are unequal or unlimited in the declared
/// currency, differences in the quantities of `hold`, and invalid chains.
void check_rules(const Sweep& sweep, std::vector<std::string>& errors);

/// Warnings about allowed but probably unintended settings. One per line.
std::vector<std::string> sweep_warnings(const Sweep& sweep);

/// Number of islands times cells of an island's archive.
std::size_t total_cells(const Experiment& experiment);

/// One option in which an arm's canonical configuration differs from the reference's; "" = absent
/// on that side.
struct ArmDifference {
  std::string path;
  std::string reference;
  std::string arm;
  bool declared = false;  ///< explained by the factor
};

/// Differences over all tasks, each once, sorted by path.
std::vector<ArmDifference> differences(const Sweep& sweep, std::size_t arm);

/// Differences without the options of operators whose weight is 0 on one side, where they decide
/// nothing.
std::vector<ArmDifference> that_matter(const std::vector<ArmDifference>& differences);

/// The analysis with the reference that the sweep resolved.
std::string analysis_text(const ParamLog& log, const Analysis& analysis);

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
