#include "experiments/study/compare/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/study/compare/contrast.hpp"
#include "experiments/view/plot/figure.hpp"

namespace ke {
namespace {

constexpr std::size_t curve_points = 60;

using Curves = std::vector<const RunCurve*>;

std::string currency_label(const std::string& currency) {
  if (currency == "seconds") return "time (s)";
  return currency == "device_seconds" ? "time of the device (s)" : currency;
}

std::vector<double> best_at(const Curves& curves, double at) {
  std::vector<double> values;
  for (const RunCurve* curve : curves) values.push_back(value_when(curve->spent, curve->best, at));
  return values;
}

}  // namespace

Result<FigureTable> make_curves_figure(const PlotInput& input) {
  KE_TRY(const auto curves, read_curves(input.runs, input.currency));
  std::map<std::pair<std::string, std::string>, Curves> groups;
  double most = 0;
  for (const RunCurve& curve : curves) {
    groups[{curve.task, curve.arm}].push_back(&curve);
    most = std::max(most, curve.spent.back());
  }
  if (!(most > 0)) return missing_figure("no run spent any " + input.currency);
  FigureTable figure;
  figure.x_label = currency_label(input.currency);
  figure.y_label = "best so far: " + input.objective;
  figure.table = CsvTable({"task", "arm", input.currency, "runs", "best_mean", "best_ci_low",
                           "best_ci_high", "best_q25", "best_median", "best_q75"});
  const Analysis analysis = input.comparison ? input.comparison->comparison.analysis : Analysis{};
  for (const auto& [name, group] : groups) {
    for (std::size_t i = 1; i <= curve_points; ++i) {
      const double at = most * static_cast<double>(i) / static_cast<double>(curve_points);
      const auto values = best_at(group, at);
      // All points share one stream, so that neighbours resample the same runs and the band does
      // not flicker.
      const auto mean =
          interval_of(analysis, {{values}}, 0, statistics::BootstrapMethod::percentile);
      const statistics::Quartiles q = statistics::quartiles_of(values);
      figure.table.add({name.first, name.second, csv_number(at), fmt::format("{}", values.size()),
                        csv_number(mean.estimate), csv_number(mean.low), csv_number(mean.high),
                        csv_number(q[0]), csv_number(q[1]), csv_number(q[2])});
    }
  }
  return figure;
}

}  // namespace ke
