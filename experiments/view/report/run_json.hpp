#pragma once
// Runs and candidates as JSON with stable keys. Private to experiments.

#include "core/candidate.hpp"
#include "experiments/study/summary/run_summary.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// `{speedup, ci: [low, high]}`, with `note` if there is one.
Json json_of(const SpeedupFigure& figure);
/// Keyed by baseline.
Json json_of(const std::map<std::string, SpeedupFigure>& figures);
Json json_of(const Interval& interval);
Json json_of(const RunSummary& summary);
Json json_of(const Kernel& kernel, bool with_source);
Json json_of(const Candidate& candidate, bool with_source);
/// [{id, role}] of the candidate's ancestors.
Json parents_json(const Candidate& candidate);

}  // namespace ke
