#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/study/compare/curves.hpp"
#include "experiments/view/plot/figure.hpp"
#include "experiments/view/report/data/diversity.hpp"

namespace ke {
namespace {

constexpr std::int64_t most_points = 50;

/// Diversity of one run over its number of evaluations.
struct DiversityCurve {
  std::vector<double> evaluations;
  std::vector<double> coverage;
  std::vector<double> qd_score;
  std::vector<double> entropy;
  std::vector<double> code;
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
    curve.code.push_back(point.code);
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

struct DiversityMeasure {
  const char* name;
  std::vector<double> DiversityCurve::*values;
};
constexpr DiversityMeasure diversity_measures[] = {{"coverage", &DiversityCurve::coverage},
                                                   {"qd", &DiversityCurve::qd_score},
                                                   {"entropy", &DiversityCurve::entropy},
                                                   {"code", &DiversityCurve::code}};

/// Adds three fields, empty if a run lacks the number.
void add_quartiles(const std::vector<DiversityCurve>& curves, double at,
                   const DiversityMeasure& measure, std::vector<std::string>& row) {
  std::vector<double> reached;
  for (const DiversityCurve& curve : curves) {
    reached.push_back(value_when(curve.evaluations, curve.*measure.values, at));
  }
  const bool known =
      std::ranges::all_of(reached, [](double value) { return std::isfinite(value); });
  const statistics::Quartiles found =
      known ? statistics::quartiles_of(std::move(reached)) : statistics::Quartiles{};
  for (const double value : found) row.push_back(known ? csv_number(value) : "");
}

std::vector<std::string> diversity_header() {
  std::vector<std::string> header = {"task", "arm", "evaluations", "runs"};
  for (const DiversityMeasure& measure : diversity_measures) {
    for (const char* part : {"q25", "median", "q75"}) {
      header.push_back(fmt::format("{}_{}", measure.name, part));
    }
  }
  return header;
}

}  // namespace

Result<FigureTable> make_diversity_figure(const PlotInput& input) {
  KE_TRY(const auto groups, read_groups(input.runs));
  if (groups.empty())
    return missing_figure(
        "no run records the changes of an archive with axes (numeric searches do not)");
  FigureTable figure;
  figure.x_label = "evaluations";
  figure.table = CsvTable(diversity_header());
  const auto points = amounts(groups);
  for (const auto& [name, curves] : groups) {
    for (const double at : points) {
      std::vector<std::string> row = {name.first, name.second, csv_number(at),
                                      fmt::format("{}", curves.size())};
      for (const DiversityMeasure& measure : diversity_measures) {
        add_quartiles(curves, at, measure, row);
      }
      figure.table.add(std::move(row));
    }
  }
  return figure;
}

}  // namespace ke
