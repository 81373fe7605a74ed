#pragma once
// Prints scores as tables and JSON.

#include <string>

#include "experiments/study/landscape/score.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Mean over seeds on one landscape, or over landscapes.
struct ScoreLine {
  std::string name;             ///< name of the landscape; "all"
  double score = 0;             ///< mean over budgets
  double random = 0;            ///< the same for exact random search
  double normalised = 0;        ///< (score - random) / (1 - random)
  std::vector<double> best_at;  ///< by budget
  /// Median evaluations to each margin over all seeds, 0 = fewer than half reached it; and the
  /// share of seeds that reached it.
  std::array<double, 3> evaluations_to{};
  std::array<double, 3> reached{};
};

/// 95 % interval of a score; a single unit says nothing.
struct ScoreInterval {
  double low = 0;
  double high = 1;
  int units = 1;
};

struct ScoreSummary {
  std::string name;  ///< name of the experiment
  std::vector<ScoreLine> landscapes;
  ScoreLine total;  ///< equal weights of landscapes; evaluations_to are medians of medians
  ScoreInterval over_kernels;  ///< kernels, their devices and seeds are drawn
  ScoreInterval over_seeds;    ///< these landscapes are held fixed
  std::int64_t evaluations = 0;
  std::int64_t proposals = 0;
  double cpu_s = 0;
};

/// Groups landscapes by folder: those of one folder (`convolution_milo/A100`) belong to one kernel.
std::vector<ScoreSummary> summarise(const ScoreRequest& request, const ScoredRuns& scored);

std::string score_text(const ScoreRequest& request, const std::vector<ScoreSummary>& summaries,
                       double wall_s);
Json score_json(const ScoreRequest& request, const std::vector<ScoreSummary>& summaries,
                double wall_s);

}  // namespace ke
