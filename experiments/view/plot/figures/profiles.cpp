#include "experiments/view/plot/figures/share_table.hpp"

namespace ke {

Result<FigureTable> make_profiles_figure(const PlotInput& input) {
  if (!input.comparison) return missing_figure(input.why_not);
  const ShareCurve& curve = input.comparison->shares.profile;
  if (curve.thresholds.empty()) {
    return missing_figure("ratios of values that are not positive mean nothing");
  }
  FigureTable figure;
  figure.table = share_table(curve, "factor");
  figure.x_label = "factor of the best arm";
  figure.y_label = "share of tasks";
  return figure;
}

}  // namespace ke
