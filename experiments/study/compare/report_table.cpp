#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

/// Decimals with which the largest of the values has three significant digits.
int decimals_of(const std::vector<Figure>& figures) {
  double largest = 0;
  for (const Figure& figure : figures) largest = std::max(largest, std::abs(figure.value));
  return largest >= 100 ? 0 : largest >= 10 ? 1 : largest >= 1 ? 2 : 3;
}

std::string small(std::string_view text) { return fmt::format("{{\\scriptsize {}}}", text); }

std::string latex_interval(const Figure& figure, int decimals) {
  if (!std::isfinite(figure.low) || !std::isfinite(figure.high)) return small("unbounded");
  return small(fmt::format("[{0:.{2}f}, {1:.{2}f}]", figure.low, figure.high, decimals));
}

std::string latex_p(const Contrast& c) {
  if (!c.p_adjusted) return "--";
  const std::string text = p_text(c.p_adjusted);
  return text.starts_with('<') ? "$<$" + text.substr(1) : text;
}

/// Decimals of each column, the same in all its rows.
struct LatexDecimals {
  int mean = 0;
  int effect = 0;
};

LatexDecimals decimals_of(const ArmComparison& comparison) {
  std::vector<Figure> means, effects;
  for (const ArmFigures& arm : comparison.arms) means.push_back(arm.mean);
  for (const Contrast& contrast : comparison.contrasts) effects.push_back(contrast.effect);
  return {decimals_of(means), decimals_of(effects)};
}

/// Two lines: values, and below them in small type their intervals and the conclusion.
std::string latex_rows(const std::string& label, const ArmFigures& arm, const Contrast* c,
                       const LatexDecimals& decimals) {
  const std::string name = fmt::format("{} & {:.{}f}", label, arm.mean.value, decimals.mean);
  const std::string below = fmt::format(" & {}", latex_interval(arm.mean, decimals.mean));
  if (c == nullptr) {
    return fmt::format("{} & -- & -- \\\\\n{} & & {} \\\\\n", name, below, small("reference"));
  }
  return fmt::format("{} & {:.{}f} & {} \\\\\n{} & {} & {} \\\\\n", name, c->effect.value,
                     decimals.effect, latex_p(*c), below,
                     latex_interval(c->effect, decimals.effect), small(to_string(c->conclusion)));
}

/// Names may break after an underscore.
std::string latex_label(const ComparisonReport& report, const std::string& arm) {
  const auto label = report.labels.find(arm);
  std::string text = escaped(label == report.labels.end() ? arm : label->second);
  for (std::size_t at = text.find("\\_"); at != text.npos; at = text.find("\\_", at + 2)) {
    text.insert(at + 2, "\\allowbreak ");
  }
  return text;
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
  std::string text = fmt::format(
      "% needs \\usepackage{{booktabs}}\n% {}\n\\begin{{table}}\n\\centering\\footnotesize\n"
      "\\setlength{{\\tabcolsep}}{{3pt}}\n",
      configurations_text(report.provenance));
  text += "\\begin{tabular}{@{}p{0.3\\columnwidth}rrr@{}}\n\\toprule\n";
  text += fmt::format("arm & mean & {} & {} \\\\\n",
                      comparison.analysis.log_scale ? "ratio" : "difference",
                      comparison.analysis.holm ? "$p_{\\mathrm{Holm}}$" : "$p$");
  text += "\\midrule\n";
  const LatexDecimals decimals = decimals_of(comparison);
  for (const ArmFigures& arm : comparison.arms) {
    text += latex_rows(latex_label(report, arm.name), arm, contrast_with(comparison, arm.name),
                       decimals);
  }
  text += "\\bottomrule\n\\end{tabular}\n";
  return text + fmt::format("\\caption{{{}}}\n\\end{{table}}\n", escaped(caption));
}

}  // namespace ke
