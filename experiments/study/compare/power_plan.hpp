#pragma once
// Plans the number of units that a study needs from the scatter of measured units.

#include <string>
#include <vector>

#include "experiments/study/compare/comparison.hpp"

namespace ke {

/// Power of comparing one arm with the reference.
struct PowerRow {
  std::string arm;
  int pilot_units = 0;
  double power = 0;      ///< with `units` units
  int units_needed = 0;  ///< for a power of 0.8; 0 = more than most_planned_units
};

struct PowerPlan {
  int units = 0;  ///< units of the planned study
  double alpha =
      0;  ///< level of one comparison: Bonferroni's share of the family, which Holm improves on
  std::vector<PowerRow> rows;
  std::string missing;  ///< reason why there is no plan; "" = there is one
};

inline constexpr int most_planned_units = 1000;

/// Power of the paired Wilcoxon test to find analysis.min_effect, if unit differences scatter like
/// those of `pilot`. `units` = 0 plans as many units as the pilot has.
PowerPlan plan_power(const ArmComparison& pilot, int units);

std::string text_of(const PowerPlan& plan, const Analysis& analysis);

}  // namespace ke
