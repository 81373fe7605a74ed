#include "experiments/study/sweep/dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/run/progress.hpp"
#include "experiments/run/python_package.hpp"
#include "experiments/study/statistics.hpp"
#include "experiments/study/sweep/rules.hpp"
#include "experiments/study/sweep/run_sweep.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

std::string differences_text(const std::vector<ArmDifference>& differences) {
  std::string text;
  for (const ArmDifference& d : that_matter(differences)) {
    const auto shown = [](const std::string& value) { return value.empty() ? "absent" : value; };
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", d.path, shown(d.reference),
                        shown(d.arm));
  }
  return text.empty() ? "reference" : text;
}

std::string matrix_text(const Sweep& sweep) {
  Table table({"arm", "config", "runs", "differs"});
  for (std::size_t i = 0; i < sweep.arms.size(); ++i) {
    table.add({sweep.arms[i].spec.name, sweep.arms[i].experiments.front().config_id().short_hex(),
               std::to_string(sweep.tasks.size() * sweep.seeds.size()),
               differences_text(differences(sweep, i))});
  }
  return table.text();
}

std::string bound_text(const CostBound& bound) {
  std::string text = fmt::format("{} runs", bound.runs);
  if (bound.evaluations > 0) text += fmt::format(", at most {} evaluations", bound.evaluations);
  if (bound.proposals > 0) text += fmt::format(", at most {} proposals", bound.proposals);
  if (bound.wall_ms > 0) {
    text += fmt::format(", at most {} of search", clock_text(bound.wall_ms / 1000));
  } else if (!bound.simulated) {
    text += ", no bound on time: set safety.wall";
  }
  return text + "\n";
}

}  // namespace

CostBound cost_bound(const Sweep& sweep) {
  CostBound bound;
  bound.simulated = is_simulated(sweep);
  const auto each = static_cast<std::int64_t>(sweep.seeds.size());
  bool evaluations = true, proposals = true, wall = true;
  for (const SweepArm& arm : sweep.arms) {
    for (const Experiment& e : arm.experiments) {
      bound.runs += each;
      bound.evaluations += each * e.limits.evaluations;
      bound.proposals += each * e.limits.proposals;
      bound.wall_ms += each * e.safety_wall_ms;
      evaluations = evaluations && e.limits.evaluations > 0;
      proposals = proposals && e.limits.proposals > 0;
      wall = wall && e.safety_wall_ms > 0;
    }
  }
  if (!evaluations) bound.evaluations = 0;
  if (!proposals) bound.proposals = 0;
  if (!wall) bound.wall_ms = 0;
  return bound;
}

int planned_units(const Sweep& sweep) {
  const auto seeds = static_cast<int>(sweep.seeds.size());
  const auto tasks = static_cast<int>(sweep.tasks.size());
  const Unit unit = sweep.analysis.unit;
  if (unit == Unit::seed || unit == Unit::chain || tasks == 1) return seeds;
  return unit == Unit::task ? tasks : 1;
}

std::optional<std::string> out_of_reach(const Sweep& sweep) {
  const Analysis& a = sweep.analysis;
  const std::size_t others = a.arms.empty() ? sweep.arms.size() - 1 : a.arms.size();
  const int family = a.holm ? std::max(1, static_cast<int>(others)) : 1;
  const int units = planned_units(sweep);
  return a.paired ? statistics::pairs_out_of_reach(units, a.alpha, family)
                  : statistics::seeds_out_of_reach(units, units, a.alpha, family);
}

Result<Json> power_from_pilot(const Sweep& sweep, const std::string& folder) {
  KE_TRY(const ProgramAnswer answer,
         run_python_package({"plan", "--analysis=" + sweep.analysis.canonical_text,
                             fmt::format("--units={}", planned_units(sweep)), "--", folder}));
  if (answer.code == 0) return parse_json(answer.output);
  return Error{Failure::usage, folder + ": cannot be planned from"};
}

std::string dry_run_text(const Sweep& sweep, const Json& power) {
  std::string text = matrix_text(sweep) + "\n" + bound_text(cost_bound(sweep));
  text += fmt::format("{} units ({}s), reference {}, analysis {}\n", planned_units(sweep),
                      to_string(sweep.analysis.unit), sweep.analysis.reference,
                      sweep.analysis.hash().short_hex());
  if (const auto beyond = out_of_reach(sweep)) text += "note: " + *beyond + "\n";
  if (!power.is_null()) return text + power.at("text").get<std::string>();
  return text + "no power without a pilot: --pilot FOLDER plans from the scatter of earlier runs\n";
}

Json dry_run_json(const Sweep& sweep, const Json& power) {
  const CostBound bound = cost_bound(sweep);
  const auto beyond = out_of_reach(sweep);
  const auto run_json = [&](const SweepRun& run) -> Json {
    return {{"file", run.file},
            {"arm", sweep.arms[run.arm].spec.name},
            {"task", sweep.subject(run.arm, run.task).name},
            {"seed", run.seed},
            {"config_id", sweep.arms[run.arm].experiments[run.task].config_id().hex()}};
  };
  return {{"name", sweep.name},
          {"plan", sweep.plan_hash().hex()},
          {"analysis_hash", sweep.analysis.hash().hex()},
          {"reference", sweep.analysis.reference},
          {"units", planned_units(sweep)},
          {"out_of_reach", beyond ? Json(*beyond) : Json(nullptr)},
          {"bound",
           {{"runs", bound.runs},
            {"evaluations", bound.evaluations},
            {"proposals", bound.proposals},
            {"wall_ms", bound.wall_ms}}},
          {"power", power.is_null() ? Json(nullptr) : power.at("plan")},
          {"arms", json_of(diff_arms(sweep))},
          {"runs", column(runs_of(sweep), run_json)}};
}

}  // namespace ke
