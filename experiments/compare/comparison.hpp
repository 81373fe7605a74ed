#pragma once
// The analysis itself: from one figure a run to what can be concluded, and what cannot.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/compare/analysis.hpp"
#include "experiments/compare/leave_one_out.hpp"
#include "experiments/compare/observation.hpp"
#include "experiments/statistics/critical_difference.hpp"

namespace ke {

/// One number with its interval of confidence 1 - alpha.
struct Figure {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Speedups that count as fast, one fast_p each [Ouyang2025].
inline constexpr std::array<double, 3> fast_thresholds = {1, 1.5, 2};

/// One arm by itself, in the endpoint's own unit.
struct ArmFigures {
  std::string name;
  std::size_t tasks = 0;
  std::size_t runs = 0;
  std::size_t censored = 0;
  Figure mean;  ///< over units (geometric on the log scale)
  double median = 0;
  double iqm = 0;
  std::optional<double> expected_running_time;  ///< of evaluations_to_target; nothing = no success
  /// Share of tasks above each of fast_thresholds; empty unless the endpoint is
  /// best_verified_speedup. Each task counts as the share of its runs that are above; a task
  /// without a figure counts as 0.
  std::vector<double> fast = {};
};

/// better and worse need significance; equivalent needs min_effect and the two one-sided tests.
enum class Conclusion { better, worse, equivalent, undecided, out_of_reach };
std::string_view to_string(Conclusion conclusion);

/// One arm against the reference.
struct Contrast {
  std::string arm;
  int units = 0;
  std::size_t pairs = 0;    ///< runs that both arms have; 0 for unpaired tests
  Figure effect;            ///< a ratio on the log scale, else a difference; arm over reference
  std::optional<double> p;  ///< nothing when it is out of reach
  std::optional<double> p_adjusted;
  std::optional<double> p_equivalence;  ///< adjusted like p
  double a12 = 0.5;  ///< probability of improvement: mean of Vargha-Delaney's A12 over tasks
  Conclusion conclusion = Conclusion::undecided;
  std::vector<double> unit_values{};  ///< paired gains, one a unit; empty for unpaired tests
};

struct ArmComparison {
  Analysis analysis;
  std::vector<ArmFigures> arms;
  std::vector<Contrast> contrasts;
  std::vector<std::string> rank_arms;  ///< in the order of `ranks`
  std::optional<statistics::RankComparison> ranks;
  std::vector<HeldOut> held_out;   ///< empty with fewer than three tasks that all arms have
  std::vector<std::string> notes;  ///< what cannot be concluded, and why
};

/// Compares arms (in this order) as the analysis says. The same observations give the same answer
/// on every machine. Error when the reference is absent, nothing can be paired, or a value is not
/// positive on the log scale.
Result<ArmComparison> compare_arms(const Analysis& analysis, const std::vector<std::string>& arms,
                                   std::span<const Observation> observations);

}  // namespace ke
