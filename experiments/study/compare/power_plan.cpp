#include "experiments/study/compare/power_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/portable_math.hpp"
#include "core/random_stream.hpp"
#include "experiments/study/statistics/power.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

constexpr double wanted_power = 0.8;
constexpr std::uint64_t power_seed = 0x706f;

PowerRow row_of(const Contrast& contrast, int units, const statistics::PairedPlan& plan,
                std::int64_t number) {
  RandomStream stream({power_seed, number, 0, 0, Purpose::bootstrap});
  const statistics::RandomIndex random = [&stream](std::size_t bound) {
    return static_cast<std::size_t>(stream.below(bound));
  };
  const auto& pilot = contrast.unit_values;
  const int planned = units > 0 ? units : static_cast<int>(pilot.size());
  return {contrast.arm, static_cast<int>(pilot.size()),
          statistics::paired_power(pilot, planned, plan, random),
          statistics::pairs_for_power(pilot, wanted_power, most_planned_units, plan, random)};
}

}  // namespace

PowerPlan plan_power(const ArmComparison& pilot, int units) {
  const Analysis& a = pilot.analysis;
  PowerPlan plan;
  plan.units = units;
  if (a.min_effect <= 0) {
    plan.missing = "power needs the smallest effect of interest: set analysis.min_effect";
    return plan;
  }
  plan.alpha =
      a.alpha / (a.holm ? std::max<double>(1, static_cast<double>(pilot.contrasts.size())) : 1);
  const double shift = a.log_scale ? portable_log(1 + a.min_effect) : a.min_effect;
  const statistics::PairedPlan paired{shift, plan.alpha, 500};
  std::int64_t number = 0;
  for (const Contrast& contrast : pilot.contrasts) {
    if (contrast.unit_values.size() < 2) continue;
    plan.rows.push_back(row_of(contrast, units, paired, number++));
  }
  if (plan.rows.empty()) plan.missing = "power needs a pilot with at least two paired units an arm";
  return plan;
}

std::string text_of(const PowerPlan& plan, const Analysis& analysis) {
  if (!plan.missing.empty()) return plan.missing + "\n";
  Table table({"arm", "units of the pilot", "power", "units for power 0.8"});
  for (const PowerRow& row : plan.rows) {
    table.add({row.arm, std::to_string(row.pilot_units), fmt::format("{:.2f}", row.power),
               row.units_needed == 0 ? fmt::format(">{}", most_planned_units)
                                     : std::to_string(row.units_needed)});
  }
  return fmt::format("Power to find {} {} of {} over {}s at alpha {:.4g}{}\n{}",
                     analysis.log_scale ? "a ratio of 1 +" : "a difference of", analysis.min_effect,
                     to_string(analysis.endpoint), to_string(analysis.unit), plan.alpha,
                     plan.units > 0 ? fmt::format(" with {} units", plan.units) : "", table.text());
}

}  // namespace ke
