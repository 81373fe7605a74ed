#pragma once
// Checks the rules that a sweep's arms must obey.

#include <string>
#include <vector>

#include "experiments/study/sweep/sweep.hpp"

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

}  // namespace ke
