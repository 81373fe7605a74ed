#pragma once
// What a sweep would do and cost, and what it could show, before it is run.

#include <optional>
#include <string>

#include "experiments/cli/json.hpp"
#include "experiments/compare/power_plan.hpp"
#include "experiments/sweep/sweep.hpp"

namespace ke {

/// Upper bounds over all runs.
struct CostBound {
  std::int64_t runs = 0;
  std::int64_t evaluations = 0;  ///< 0 = no limit
  std::int64_t proposals = 0;    ///< 0 = no limit
  std::int64_t wall_ms = 0;      ///< of the searches, one lane; 0 = no limit
  bool simulated = false;
};

CostBound cost_bound(const Sweep& sweep);

/// Units that the analysis will have: tasks, seeds or chains. Devices are known only after the
/// runs: 1.
int planned_units(const Sweep& sweep);

/// Why no p-value could be significant; nothing when one could.
std::optional<std::string> out_of_reach(const Sweep& sweep);

/// Reads earlier runs (a folder) as the sweep's analysis says and plans from their scatter.
Result<PowerPlan> power_from_pilot(const Sweep& sweep, const std::string& folder);

std::string dry_run_text(const Sweep& sweep, const std::optional<PowerPlan>& power);
Json dry_run_json(const Sweep& sweep, const std::optional<PowerPlan>& power);

}  // namespace ke
