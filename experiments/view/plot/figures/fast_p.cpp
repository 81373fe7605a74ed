#include "experiments/view/plot/figures/share_table.hpp"

namespace ke {

Result<FigureTable> make_fast_p_figure(const PlotInput& input) {
  if (!input.comparison) return missing_figure(input.why_not);
  const ShareCurve& curve = input.comparison->shares.fast_p;
  if (curve.thresholds.empty()) {
    return missing_figure("needs endpoint=best_verified_speedup, whose baseline has speedup 1");
  }
  FigureTable figure;
  figure.table = share_table(curve, "p");
  const std::string& baseline = input.comparison->comparison.analysis.baseline;
  figure.x_label = "p: verified speedup over " + baseline;
  figure.y_label = "fast_p";
  return figure;
}

}  // namespace ke
