#pragma once
// Scores configurations on landscapes: mean over landscapes and budgets of optimum / best time
// found, scaled between exact random search and the optimum.
// Finds and reads the landscapes of a command line.
// Expected result of uniform random search without replacement, in closed form.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/text/json.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {

/// Ratio optimum / recorded time of every point, 0 for failed ones; falling.
std::vector<double> ranked_quality(const Landscape& landscape);

/// Expected best of `draws` draws without replacement from falling, non-negative `ranked` values:
/// sum of v_i C(N - i, n - 1) / C(N, n), i = 1..N. With N or more draws it is the best value. O(N).
double expected_best(std::span<const double> ranked, std::int64_t draws);

struct LandscapeFile {
  std::string file;
  std::shared_ptr<const Landscape> landscape;
};

/// Reads landscapes given by file, by folder (all *.json and *.json.gz below it) or by the name of
/// a shipped one. Keeps the first of several landscapes with one name. Reports all errors at once.
Result<std::vector<LandscapeFile>> read_landscapes(const std::vector<std::string>& words);

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

/// Input of the Python package, which makes scores of it: {budgets, seeds, threads, wall_s,
/// landscapes: [{name, random}], experiments: [{name, runs: [landscape][seed]}]}; `random` is the
/// exact expectation of random search at each budget.
Json raw_scores(const ScoreRequest& request, const ScoredRuns& scored);

/// Makes an experiment on landscapes from a document; its budget is the largest requested one, and
/// nothing is verified. Error if its device is no landscape.
Result<Experiment> score_experiment(Node document, const std::string& name, std::int64_t budget);

Result<ScoredRuns> score(const ScoreRequest& request);

}  // namespace ke
