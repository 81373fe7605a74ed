#include <fmt/format.h>

#include "experiments/view/plot/figure.hpp"

namespace ke {

Result<FigureTable> make_effects_figure(const PlotInput& input) {
  if (!input.comparison) return missing_figure(input.why_not);
  const auto& effects = input.comparison->main_effects;
  if (effects.empty()) return missing_figure("the arms are not all combinations of some factors");
  const Analysis& analysis = input.comparison->comparison.analysis;
  const std::string scale = analysis.log_scale ? "ratio" : "difference";
  FigureTable figure;
  figure.table = CsvTable({"factor", "level", "reference", "scale", "effect", "ci_low", "ci_high",
                           "units", "p_adjusted", "conclusion"});
  for (const FactorEffects& one : effects) {
    for (const Contrast& c : one.comparison.contrasts) {
      figure.table.add(
          {one.factor, c.arm, one.comparison.analysis.reference, scale, csv_number(c.effect.value),
           csv_number(c.effect.low), csv_number(c.effect.high), fmt::format("{}", c.units),
           c.p_adjusted ? csv_number(*c.p_adjusted) : "", std::string(to_string(c.conclusion))});
    }
  }
  figure.x_label = fmt::format("{}: {} by the level", endpoint_words(analysis), scale);
  figure.about =
      fmt::format("{:g} % intervals{}. ", 100 * (1 - analysis.alpha),
                  analysis.holm ? "; Holm's method adjusts for the levels of a factor" : "");
  return figure;
}

}  // namespace ke
