#pragma once
// How many units a study needs, from the scatter of units that were measured.

#include <string>
#include <vector>

#include "experiments/compare/comparison.hpp"

namespace ke {

/// One arm against the reference.
struct PowerRow {
  std::string arm;
  int pilot_units = 0;
  double power = 0;      ///< with `units` units
  int units_needed = 0;  ///< for a power of 0.8; 0 = more than most_planned_units
};

struct PowerPlan {
  int units = 0;  ///< of the study that is planned
  double alpha =
      0;  ///< of one comparison: Bonferroni's share of the family, which Holm improves on
  std::vector<PowerRow> rows;
  std::string missing;  ///< why there is no plan; "" = there is one
};

inline constexpr int most_planned_units = 1000;

/// Power to find analysis.min_effect by the paired Wilcoxon test when unit differences scatter as
/// those of `pilot` do. `units` = 0 plans as many as the pilot has.
PowerPlan plan_power(const ArmComparison& pilot, int units);

std::string text_of(const PowerPlan& plan, const Analysis& analysis);

}  // namespace ke
