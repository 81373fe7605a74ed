#pragma once
// Plans a sweep before it is run: its runs, its cost, and its statistical power.

#include <optional>
#include <string>

#include "experiments/study/sweep/sweep.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Upper bounds over all runs.
struct CostBound {
  std::int64_t runs = 0;
  std::int64_t evaluations = 0;  ///< 0 = no limit
  std::int64_t proposals = 0;    ///< 0 = no limit
  std::int64_t wall_ms = 0;      ///< total of the searches on one lane; 0 = no limit
  bool simulated = false;
};

CostBound cost_bound(const Sweep& sweep);

/// Number of units of the analysis: tasks, seeds or chains. 1 for devices, which are known only
/// after the runs.
int planned_units(const Sweep& sweep);

/// Reason why no p-value can be significant; nothing if one can.
std::optional<std::string> out_of_reach(const Sweep& sweep);

/// Power of the sweep as the Python package plans it from the runs in a folder, by the sweep's
/// analysis: {"plan": {...}, "text": "..."}.
Result<Json> power_from_pilot(const Sweep& sweep, const std::string& folder);

/// `power`: of power_from_pilot, or null.
std::string dry_run_text(const Sweep& sweep, const Json& power);
Json dry_run_json(const Sweep& sweep, const Json& power);

}  // namespace ke
