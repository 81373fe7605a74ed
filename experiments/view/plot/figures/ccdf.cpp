#include "experiments/view/plot/figures/share_table.hpp"

namespace ke {

Result<FigureTable> make_ccdf_figure(const PlotInput& input) {
  if (!input.comparison) return missing_figure(input.why_not);
  const Analysis& analysis = input.comparison->comparison.analysis;
  const Endpoint endpoint = analysis.endpoint;
  FigureTable figure;
  figure.table =
      share_table(input.comparison->shares.distribution, std::string(to_string(endpoint)));
  figure.x_label =
      endpoint == Endpoint::best_seen ? "best seen: " + input.objective : endpoint_words(analysis);
  figure.y_label = endpoint == Endpoint::evaluations_to_target ? "share of runs that arrived"
                                                               : "share of runs above";
  return figure;
}

}  // namespace ke
