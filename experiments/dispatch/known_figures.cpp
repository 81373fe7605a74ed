#include "experiments/dispatch/known_figures.hpp"

#include <set>

#include "archive/recorded_facts.hpp"

namespace ke {

Result<KnownFigures> KnownFigures::read(const std::vector<std::unique_ptr<RunReader>>& runs,
                                        const Digest& task_hash, const MeasuringBench& bench) {
  KnownFigures known;
  for (const auto& run : runs) {
    KE_TRY(const RunHeader header, run->header());
    KE_TRY(const auto evaluator, recorded_evaluator(*run));
    const bool same_device = evaluator && evaluator->device_class == bench.device_class();
    if (header.task_hash != task_hash || !same_device) continue;
    KE_TRY_VOID(known.add_run(*run));
  }
  return known;
}

Result<void> KnownFigures::add_run(const RunReader& run) {
  std::set<LogicalId> candidates;
  KE_TRY(const auto figures, run.verified());
  for (const VerifiedFigure& figure : figures) {
    candidates.insert(figure.candidate);
    KE_TRY(const auto view, run.fact(figure.fact_key));
    if (view) add(view->fact, figure.baseline, verified_);
  }
  constexpr std::size_t most = 64;  // as kernel_pool looks at
  KE_TRY(const auto best, run.best(most));
  candidates.insert(best.begin(), best.end());
  KE_TRY(const auto elites, run.elites());
  for (const EliteRow& row : elites) candidates.insert(row.candidate);
  for (const LogicalId& id : candidates) {
    KE_TRY(const auto facts, run.facts(id));
    for (const FactView& view : facts) {
      if (view.purpose == JobKind::screen) add(view.fact, "anchor", screened_);
    }
  }
  return {};
}

void KnownFigures::add(const Fact& fact, const std::string& opponent, Figures& to) {
  if (fact.verdict != Verdict::ok || !fact.comparison) return;
  auto& figures = to[{fact.build_hash, opponent}];
  for (const WorkloadTiming& timing : fact.comparison->workloads) {
    const TimedFigure figure = figure_at(fact, timing.workload);
    if (figure.speedup > 0) figures.emplace(timing.workload, figure);
  }
}

std::optional<TimedFigure> KnownFigures::find(const Figures& figures, const Key& key,
                                              const std::string& shape) {
  const auto of_key = figures.find(key);
  if (of_key == figures.end()) return std::nullopt;
  const auto found = of_key->second.find(shape);
  return found == of_key->second.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TimedFigure> KnownFigures::verified(const Digest& build, const std::string& opponent,
                                                  const std::string& shape) const {
  return find(verified_, {build, opponent}, shape);
}

std::optional<TimedFigure> KnownFigures::screened(const Digest& build,
                                                  const std::string& shape) const {
  return find(screened_, {build, "anchor"}, shape);
}

}  // namespace ke
