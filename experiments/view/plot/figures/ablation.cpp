#include <fmt/format.h>

#include <algorithm>

#include "experiments/view/plot/figure.hpp"

namespace ke {
namespace {

std::string p_field(const std::optional<double>& p) { return p ? csv_number(*p) : std::string(); }

}  // namespace

Result<FigureTable> make_ablation_figure(const PlotInput& input) {
  if (!input.comparison) return missing_figure(input.why_not);
  const ArmComparison& comparison = input.comparison->comparison;
  if (comparison.contrasts.empty()) return missing_figure("one arm: nothing to compare it with");
  const std::string scale = comparison.analysis.log_scale ? "ratio" : "difference";
  FigureTable figure;
  figure.table = CsvTable({"arm", "reference", "scale", "effect", "ci_low", "ci_high", "units",
                           "p_adjusted", "conclusion"});
  for (const Contrast& c : comparison.contrasts) {
    figure.table.add({c.arm, comparison.analysis.reference, scale, csv_number(c.effect.value),
                      csv_number(c.effect.low), csv_number(c.effect.high),
                      fmt::format("{}", c.units), p_field(c.p_adjusted),
                      std::string(to_string(c.conclusion))});
  }
  figure.x_label =
      fmt::format("{}: {} {}", endpoint_words(comparison.analysis), scale,
                  comparison.analysis.log_scale ? "to the reference" : "from the reference");
  std::string test(to_string(comparison.analysis.test));
  std::ranges::replace(test, '_', ' ');
  figure.about =
      fmt::format("{:g} % intervals; p-values by the {} over {}s{}. ",
                  100 * (1 - comparison.analysis.alpha), test, to_string(comparison.analysis.unit),
                  comparison.analysis.holm ? ", adjusted by Holm's method" : "");
  return figure;
}

}  // namespace ke
