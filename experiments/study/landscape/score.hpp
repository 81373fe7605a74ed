#pragma once
// Scores configurations on landscapes: mean over landscapes and budgets of optimum / best time
// found, scaled between exact random search and the optimum.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/study/landscape/files.hpp"

namespace ke {

inline constexpr std::array<double, 3> score_margins = {0.10, 0.05, 0.01};

/// One run. An evaluation is the first visit to a recorded configuration, failed or not; duplicates
/// are free. A run that ends early is carried forward.
struct ScoredRun {
  std::vector<double> best_at;            ///< optimum / best time so far, by budget; 0 = none
  std::array<std::int64_t, 3> reached{};  ///< evaluations until within each margin; 0 = never
  std::int64_t evaluations = 0;
  std::int64_t proposals = 0;
  double cpu_s = 0;
};

struct ScoreRequest {
  std::vector<Experiment> experiments;
  std::vector<LandscapeFile> landscapes;
  std::vector<std::int64_t> seeds;
  std::vector<std::int64_t> budgets;  ///< rising
  std::int64_t threads = 1;           ///< does not change results
};

/// Indexed as runs[experiment][landscape][seed].
struct ScoredRuns {
  std::vector<std::vector<std::vector<ScoredRun>>> runs;
  double wall_s = 0;
};

/// Makes an experiment on landscapes from a document; its budget is the largest requested one, and
/// nothing is verified. Error if its device is no landscape.
Result<Experiment> score_experiment(Node document, const std::string& name, std::int64_t budget);

Result<ScoredRuns> score(const ScoreRequest& request);

}  // namespace ke
