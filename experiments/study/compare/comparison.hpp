#pragma once
// Statistical comparison of arms: from one figure per run to what can be concluded.

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/study/compare/analysis.hpp"
#include "experiments/study/compare/leave_one_out.hpp"
#include "experiments/study/compare/observation.hpp"
#include "experiments/study/statistics/critical_difference.hpp"

namespace ke {

/// One number with its interval at confidence 1 - alpha.
struct Figure {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Smallest and largest value that there can be.
struct ValueRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// Speedups that count as fast, one fast_p each [Ouyang2025].
inline constexpr std::array<double, 3> fast_thresholds = {1, 1.5, 2};

/// Verified speedups of one arm over the tasks of one group.
struct GroupFigures {
  std::string name;  ///< category or op_type of its tasks
  std::size_t tasks = 0;
  double mean = 0;           ///< as ArmFigures::mean
  std::vector<double> fast;  ///< as ArmFigures::fast, over the tasks of the group
};

/// Figures of one arm alone, in the endpoint's own unit.
struct ArmFigures {
  std::string name;
  std::size_t tasks = 0;
  std::size_t runs = 0;
  std::size_t censored = 0;
  Figure mean;    ///< over units (geometric on the log scale)
  int units = 0;  ///< that the interval of the mean rests on
  double median = 0;
  double iqm = 0;
  std::optional<double> expected_running_time;  ///< for evaluations_to_target; nothing = no success
  /// Share of tasks above each of fast_thresholds; empty unless the endpoint is
  /// best_verified_speedup. Each task contributes the share of its runs above the threshold, 0 if
  /// it has no figure.
  std::vector<double> fast = {};
  /// SOL score [Lin2026]: mean over tasks of the mean of their runs; nothing where no run has one.
  std::optional<double> sol = {};
  std::size_t sol_runs = 0;               ///< that have one
  std::vector<GroupFigures> groups = {};  ///< by name; empty unless there are several
};

/// better and worse require significance; equivalent requires min_effect and two one-sided tests.
enum class Conclusion { better, worse, equivalent, undecided, out_of_reach };
std::string_view to_string(Conclusion conclusion);

/// Comparison of one arm with the reference.
struct Contrast {
  std::string arm;
  int units = 0;
  std::size_t pairs = 0;    ///< runs that both arms have; 0 for unpaired tests
  Figure effect;            ///< arm over reference: a ratio on the log scale, else a difference
  std::optional<double> p;  ///< nothing when it is out of reach
  std::optional<double> p_adjusted;
  std::optional<double> p_equivalence;  ///< adjusted like p
  double a12 = 0.5;  ///< probability of improvement: mean of Vargha-Delaney's A12 over tasks
  Conclusion conclusion = Conclusion::undecided;
  std::vector<double> unit_values{};  ///< paired gains, one per unit; empty for unpaired tests
};

/// Means over the runs of an arm on a task (geometric on the log scale).
struct TaskMeans {
  std::vector<std::string> tasks;
  std::vector<std::vector<std::optional<double>>>
      means;  ///< [arm][task], as in ArmComparison::arms
};

struct ArmComparison {
  Analysis analysis;
  std::vector<ArmFigures> arms;
  std::vector<Contrast> contrasts;
  TaskMeans by_task;
  std::vector<std::string> rank_arms;  ///< sorted like `ranks`
  std::optional<statistics::RankComparison> ranks;
  std::vector<HeldOut> held_out;   ///< empty if all arms share fewer than three tasks
  std::vector<std::string> notes;  ///< what cannot be concluded, with the reason
};

/// Compares arms (in this order) as the analysis says. The same observations give the same answer
/// on every machine. `objective`: what objectives of these runs can be; no interval reaches beyond
/// what the endpoint can be. Error when the reference is absent, nothing can be paired, or a value
/// is not positive on the log scale.
Result<ArmComparison> compare_arms(const Analysis& analysis, const std::vector<std::string>& arms,
                                   std::span<const Observation> observations,
                                   const ValueRange& objective = {});

}  // namespace ke
