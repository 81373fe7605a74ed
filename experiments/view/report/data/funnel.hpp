#pragma once
// Counts where candidates are lost between proposal and elite.

#include <string>
#include <vector>

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

struct FunnelStage {
  std::string name;
  std::int64_t left = 0;  ///< candidates that passed
  std::int64_t lost = 0;  ///< candidates that it stopped
};

/// Number of proposals, then each check in order.
std::vector<FunnelStage> funnel_stages(const RunRows& rows);

/// {"stages": [{name, left, lost}], "reasons": [{verdict, reason, stage, count, example}]}.
/// `example` is the position of the first candidate with that outcome.
Json funnel_json(const RunRows& rows);

}  // namespace ke
