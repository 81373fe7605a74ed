#include <fmt/format.h>

#include <cmath>

#include "experiments/cli/csv.hpp"
#include "experiments/compare/report.hpp"

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

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
    if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      out += fmt::format("\\{}{{}}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string latex_interval(const Figure& figure) {
  if (!std::isfinite(figure.low) || !std::isfinite(figure.high)) {
    return fmt::format("{:.4g} & unbounded", figure.value);
  }
  return fmt::format("{:.4g} & [{:.4g}, {:.4g}]", figure.value, figure.low, figure.high);
}

std::string latex_p(const Contrast* c) {
  if (c == nullptr) return "--";
  if (!c->p_adjusted) return "out of reach";
  return *c->p_adjusted < 0.0001 ? "$<$0.0001" : fmt::format("{:.4f}", *c->p_adjusted);
}

std::string latex_row(const ArmFigures& arm, const Contrast* c) {
  const std::string effect = c == nullptr ? "-- & --" : latex_interval(c->effect);
  const std::string a12 = c == nullptr ? "--" : fmt::format("{:.2f}", c->a12);
  return fmt::format("{} & {} & {} & {} & {} & {} & {} \\\\\n", escaped(arm.name), arm.runs,
                     latex_interval(arm.mean), effect, latex_p(c), a12,
                     c == nullptr ? "reference" : to_string(c->conclusion));
}

}  // namespace

std::string csv_of(const ComparisonReport& report) {
  std::string text =
      "arm,tasks,runs,censored,mean,low,high,median,iqm,units,effect,effect_low,effect_high,p,"
      "p_adjusted,p_equivalence,a12,conclusion";
  for (const std::string& name : fast_columns(report.comparison)) text += "," + name;
  text += "\n";
  for (const ArmFigures& arm : report.comparison.arms) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}{}", csv_field(arm.name), arm.tasks, arm.runs,
                        arm.censored, csv_number(arm.mean.value), csv_number(arm.mean.low),
                        csv_number(arm.mean.high), csv_number(arm.median), csv_number(arm.iqm),
                        csv_contrast(contrast_with(report.comparison, arm.name)));
    for (const double share : arm.fast) text += "," + csv_number(share);
    text += "\n";
  }
  return text;
}

std::string latex_of(const ComparisonReport& report) {
  const ArmComparison& comparison = report.comparison;
  std::string caption = caption_of(comparison, report.provenance, !report.exploratory.empty());
  for (const std::string& note : comparison.notes) caption += " Note: " + note + ".";
  if (!report.missing.empty()) {
    caption += fmt::format(" {} planned runs are missing.", report.missing.size());
  }
  std::string text = "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n";
  text += "\\begin{tabular}{lrrlrlrrl}\n\\toprule\n";
  text += fmt::format("arm & runs & mean & interval & {} & interval & $p$ & $A_{{12}}$ & \\\\\n",
                      comparison.analysis.log_scale ? "ratio" : "difference");
  text += "\\midrule\n";
  for (const ArmFigures& arm : comparison.arms) {
    text += latex_row(arm, contrast_with(comparison, arm.name));
  }
  text += "\\bottomrule\n\\end{tabular}\n";
  return text + fmt::format("\\caption{{{}}}\n\\end{{table}}\n", escaped(caption));
}

}  // namespace ke
