#include <fmt/format.h>

#include "experiments/study/compare/report.hpp"
#include "experiments/text/csv.hpp"

namespace ke {
namespace {

std::string cell(const std::optional<double>& value) { return value ? csv_number(*value) : ""; }

const Contrast* contrast_with(const ArmComparison& comparison, const std::string& arm) {
  for (const Contrast& c : comparison.contrasts) {
    if (c.arm == arm) return &c;
  }
  return nullptr;
}

std::string csv_contrast(const Contrast* c) {
  if (c == nullptr) return ",,,,,,,,";
  return fmt::format(",{},{},{},{},{},{},{},{},{}", c->units, csv_number(c->effect.value),
                     csv_number(c->effect.low), csv_number(c->effect.high), cell(c->p),
                     cell(c->p_adjusted), cell(c->p_equivalence), csv_number(c->a12),
                     to_string(c->conclusion));
}

}  // namespace

std::string csv_of(const ComparisonReport& report) {
  std::string text =
      "arm,tasks,runs,censored,mean,low,high,median,iqm,units,effect,effect_low,effect_high,p,"
      "p_adjusted,p_equivalence,a12,conclusion";
  for (const std::string& name : fast_columns(report.comparison)) text += "," + name;
  const bool sol = has_sol(report.comparison);
  if (sol) text += ",sol";
  text += "\n";
  for (const ArmFigures& arm : report.comparison.arms) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}{}", csv_field(arm.name), arm.tasks, arm.runs,
                        arm.censored, csv_number(arm.mean.value), csv_number(arm.mean.low),
                        csv_number(arm.mean.high), csv_number(arm.median), csv_number(arm.iqm),
                        csv_contrast(contrast_with(report.comparison, arm.name)));
    for (const double share : arm.fast) text += "," + csv_number(share);
    if (sol) text += "," + cell(arm.sol);
    text += "\n";
  }
  return text;
}

}  // namespace ke
