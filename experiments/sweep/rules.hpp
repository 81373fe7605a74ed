#pragma once
// What must hold between the arms of a sweep, and the proof that it does.

#include <string>
#include <vector>

#include "experiments/sweep/sweep.hpp"

namespace ke {

/// Logs what breaks the rules of the sweep: budgets that are not equal or not limited in the
/// declared currency, what `hold` names, and chains that are none.
void check_rules(const Sweep& sweep, std::vector<std::string>& errors);

/// Things that are allowed but probably not meant. One a line.
std::vector<std::string> sweep_warnings(const Sweep& sweep);

/// Islands times cells of an island's archive.
std::size_t total_cells(const Experiment& experiment);

/// One option in which an arm's canonical configuration differs from the reference's; "" = absent
/// on that side.
struct ArmDifference {
  std::string path;
  std::string reference;
  std::string arm;
  bool declared = false;  ///< the factor explains it
};

/// All differences over all tasks, each once, sorted by path.
std::vector<ArmDifference> differences(const Sweep& sweep, std::size_t arm);

/// The analysis with the reference that the sweep resolved.
std::string analysis_text(const ParamLog& log, const Analysis& analysis);

}  // namespace ke
