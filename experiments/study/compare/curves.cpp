#include "experiments/study/compare/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "archive/step_costs.hpp"
#include "experiments/text/csv.hpp"

namespace ke {
namespace {

double spent_at(const ProgressPoint& point, const ProgressPoint& first,
                const std::string& currency) {
  if (currency == "proposals") return static_cast<double>(point.proposals);
  if (currency == "evaluations") return static_cast<double>(point.evaluations);
  return static_cast<double>(point.committed_ms - first.committed_ms) / 1000;
}

Result<RunCurve> read_curve(const ComparedRun& run, const std::string& currency) {
  KE_TRY(const auto reader, RunReader::open(run.file));
  KE_TRY(const auto points, reader->progress());
  RunCurve curve{run.arm, run.task, {}, {}, {}};
  for (const ProgressPoint& point : points) {
    curve.spent.push_back(spent_at(point, points.front(), currency));
    curve.best.push_back(point.best);
    curve.qd_score.push_back(point.qd_score);
  }
  if (currency == "device_seconds") {
    KE_TRY(curve.spent, device_seconds(*reader));
  }
  return curve;
}

CurvePoint point_of(const std::vector<const RunCurve*>& group, double at) {
  CurvePoint point{group.front()->arm, group.front()->task, at, group.size(), {}, {}};
  std::vector<double> best, qd_score;
  for (const RunCurve* curve : group) {
    best.push_back(value_when(curve->spent, curve->best, at));
    qd_score.push_back(value_when(curve->spent, curve->qd_score, at));
  }
  point.best = statistics::quartiles_of(std::move(best));
  point.qd_score = statistics::quartiles_of(std::move(qd_score));
  return point;
}

}  // namespace

const std::vector<std::string>& curve_currencies() {
  static const std::vector<std::string> names = {"evaluations", "proposals", "device_seconds",
                                                 "seconds"};
  return names;
}

double value_when(const std::vector<double>& spent, const std::vector<double>& values, double at) {
  const auto after = std::ranges::upper_bound(spent, at);
  if (after == spent.begin()) return 0;
  return values[static_cast<std::size_t>(after - spent.begin()) - 1];
}

Result<std::vector<RunCurve>> read_curves(const ComparedRuns& runs, const std::string& currency) {
  std::vector<RunCurve> curves;
  for (const ComparedRun& run : runs.runs) {
    KE_TRY(RunCurve curve, read_curve(run, currency));
    if (!curve.spent.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<CurvePoint> quartiles(const std::vector<RunCurve>& curves, std::size_t points) {
  std::map<std::pair<std::string, std::string>, std::vector<const RunCurve*>> groups;
  double most = 0;
  for (const RunCurve& curve : curves) {
    groups[{curve.task, curve.arm}].push_back(&curve);
    most = std::max(most, curve.spent.back());
  }
  std::vector<CurvePoint> list;
  for (const auto& [name, group] : groups) {
    for (std::size_t i = 1; i <= points; ++i) {
      list.push_back(point_of(group, most * static_cast<double>(i) / static_cast<double>(points)));
    }
  }
  return list;
}

std::string csv_of(const std::vector<CurvePoint>& points, const std::string& currency) {
  std::string text = fmt::format(
      "task,arm,{},runs,best_q25,best_median,best_q75,qd_q25,qd_median,qd_q75\n", currency);
  for (const CurvePoint& p : points) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(p.task), csv_field(p.arm),
                        p.at, p.runs, p.best[0], p.best[1], p.best[2], p.qd_score[0], p.qd_score[1],
                        p.qd_score[2]);
  }
  return text;
}

}  // namespace ke
