#include "experiments/view/report/data/arms.hpp"

#include <map>

#include "experiments/study/compare/compare_runs.hpp"
#include "experiments/study/compare/curves.hpp"
#include "experiments/view/report/json_number.hpp"

namespace ke {
namespace {

constexpr std::size_t curve_points = 100;

Json quartiles_json(const statistics::Quartiles& quartiles) {
  return {number(quartiles[0]), number(quartiles[1]), number(quartiles[2])};
}

/// [{arm, task, runs, at, best, qd_score}], one entry per arm and task.
Json curves_json(const std::vector<CurvePoint>& points) {
  std::map<std::pair<std::string, std::string>, Json> groups;
  for (const CurvePoint& p : points) {
    Json& curve = groups[{p.task, p.arm}];
    if (curve.is_null()) curve = {{"arm", p.arm}, {"task", p.task}, {"runs", p.runs}};
    curve["at"].push_back(number(p.at));
    curve["best"].push_back(quartiles_json(p.best));
    curve["qd_score"].push_back(quartiles_json(p.qd_score));
  }
  return column(groups, [](const auto& group) { return group.second; });
}

Result<Json> all_curves(const ComparedRuns& runs) {
  Json json = Json::object();
  for (const std::string& currency : curve_currencies()) {
    KE_TRY(const auto curves, read_curves(runs, currency));
    double most = 0;
    for (const RunCurve& curve : curves) most = std::max(most, curve.spent.back());
    if (most > 0) json[currency] = curves_json(quartiles(curves, curve_points));
  }
  return json;
}

}  // namespace

Result<Json> arms_data(const std::vector<std::string>& arguments) {
  KE_TRY(ComparedRuns runs, load_runs(arguments));
  Json json = {{"arms", runs.arms}, {"of", Json::object()}};
  for (const ComparedRun& run : runs.runs) json["of"][run.file] = run.arm;
  KE_TRY(json["curves"], all_curves(runs));
  const auto comparison = compare_runs(runs, {}, false);
  json["comparison"] = comparison ? json_of(*comparison) : Json(nullptr);
  json["why_not"] = comparison ? "" : comparison.error().message;
  json["missing"] = runs.missing;
  return json;
}

}  // namespace ke
