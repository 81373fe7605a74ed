#pragma once
// Where candidates are lost on their way from proposal to elite.

#include <string>
#include <vector>

#include "archive/run_rows.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

struct FunnelStage {
  std::string name;
  std::int64_t left = 0;  ///< candidates that passed it
  std::int64_t lost = 0;  ///< candidates that it stopped
};

/// The proposals, then each check in order.
std::vector<FunnelStage> funnel_stages(const RunRows& rows);

/// {"stages": [{name, left, lost}], "reasons": [{verdict, reason, stage, count, example}]}.
/// `example` is the position of the first candidate with that end.
Json funnel_json(const RunRows& rows);

}  // namespace ke
