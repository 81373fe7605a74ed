#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/compare/curves.hpp"
#include "experiments/plot/figure.hpp"
#include "experiments/report/data/diversity.hpp"

namespace ke {
namespace {

constexpr std::int64_t most_points = 50;

/// One run: its figures when it had made so many evaluations.
struct DiversityCurve {
  std::vector<double> evaluations;
  std::vector<double> coverage;
  std::vector<double> qd_score;
  std::vector<double> entropy;
};
using DiversityGroups = std::map<std::pair<std::string, std::string>, std::vector<DiversityCurve>>;

Result<DiversityCurve> diversity_of(const ComparedRun& run) {
  KE_TRY(const auto reader, RunReader::open(run.file));
  KE_TRY(const RunRows rows, read_rows(*reader));
  KE_TRY(const auto axes, reader->axes("passive"));
  KE_TRY(const auto progress, reader->progress());
  DiversityCurve curve;
  for (const DiversityPoint& point : diversity_points(rows, axes)) {
    const ProgressPoint& state = progress[static_cast<std::size_t>(point.step_index)];
    curve.evaluations.push_back(static_cast<double>(state.evaluations));
    curve.coverage.push_back(static_cast<double>(state.filled) /
                             static_cast<double>(cells_of(axes)));
    curve.qd_score.push_back(state.qd_score);
    curve.entropy.push_back(point.entropy);
  }
  return curve;
}

Result<DiversityGroups> read_groups(const ComparedRuns& runs) {
  DiversityGroups groups;
  for (const ComparedRun& run : runs.runs) {
    KE_TRY(DiversityCurve curve, diversity_of(run));
    if (!curve.evaluations.empty()) groups[{run.task, run.arm}].push_back(std::move(curve));
  }
  return groups;
}

std::vector<double> amounts(const DiversityGroups& groups) {
  double most = 0;
  for (const auto& [name, curves] : groups) {
    for (const DiversityCurve& curve : curves) most = std::max(most, curve.evaluations.back());
  }
  std::vector<double> at;
  const std::int64_t points = std::min(most_points, static_cast<std::int64_t>(most));
  for (std::int64_t i = 1; i <= points; ++i) {
    at.push_back(static_cast<double>(i * static_cast<std::int64_t>(most) / points));
  }
  return at;
}

statistics::Quartiles quartiles_at(const std::vector<DiversityCurve>& curves, double at,
                                   std::vector<double> DiversityCurve::*values) {
  std::vector<double> reached;
  for (const DiversityCurve& curve : curves) {
    reached.push_back(value_when(curve.evaluations, curve.*values, at));
  }
  return statistics::quartiles_of(std::move(reached));
}

}  // namespace

Result<FigureTable> make_diversity_figure(const PlotInput& input) {
  KE_TRY(const auto groups, read_groups(input.runs));
  if (groups.empty())
    return missing_figure(
        "no run records the changes of an archive with axes (numeric searches do not)");
  FigureTable figure;
  figure.x_label = "evaluations";
  figure.table = CsvTable({"task", "arm", "evaluations", "runs", "coverage_q25", "coverage_median",
                           "coverage_q75", "qd_q25", "qd_median", "qd_q75", "entropy_q25",
                           "entropy_median", "entropy_q75"});
  const auto points = amounts(groups);
  for (const auto& [name, curves] : groups) {
    for (const double at : points) {
      const statistics::Quartiles coverage = quartiles_at(curves, at, &DiversityCurve::coverage);
      const statistics::Quartiles qd = quartiles_at(curves, at, &DiversityCurve::qd_score);
      const statistics::Quartiles entropy = quartiles_at(curves, at, &DiversityCurve::entropy);
      figure.table.add({name.first, name.second, csv_number(at), fmt::format("{}", curves.size()),
                        csv_number(coverage[0]), csv_number(coverage[1]), csv_number(coverage[2]),
                        csv_number(qd[0]), csv_number(qd[1]), csv_number(qd[2]),
                        csv_number(entropy[0]), csv_number(entropy[1]), csv_number(entropy[2])});
    }
  }
  return figure;
}

}  // namespace ke
