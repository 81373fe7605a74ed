#include "core/search/role_figure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/validation.hpp"

namespace ke {

RoleFigure role_figure(const Comparison& comparison, std::string_view role,
                       const WorkloadMean& rule) {
  std::vector<double> logs, halves, parts;
  for (const WorkloadTiming& timing : comparison.workloads) {
    if (timing.role != role || timing.speedup <= 0) continue;
    logs.push_back(std::log(timing.speedup));
    halves.push_back(std::log(std::max(timing.ci.high, 1e-9) / std::max(timing.ci.low, 1e-9)) / 2);
    parts.push_back(rule.part(timing.workload, timing.opponent_ns));
  }
  RoleFigure figure;
  figure.count = static_cast<int>(logs.size());
  if (logs.empty()) return figure;
  const MeanOfLogs mean = rule.of(logs, parts);
  const double half = mean.error(halves);
  figure.speedup = std::exp(mean.log);
  figure.ci = {std::exp(mean.log - half), std::exp(mean.log + half)};
  return figure;
}

double floor_share(const Comparison& comparison, const WorkloadMean& rule) {
  std::vector<double> logs, parts;
  for (const WorkloadTiming& timing : comparison.workloads) {
    if (timing.role != "bench") continue;
    if (timing.floor_ns <= 0 || timing.candidate_ns <= 0) return 0;
    logs.push_back(std::log(timing.candidate_ns / timing.floor_ns));
    parts.push_back(rule.part(timing.workload, timing.candidate_ns));
  }
  return logs.empty() ? 0 : std::exp(-rule.of(logs, parts).log);
}

void take_validation(const Fact& fact, const WorkloadMean& rule, double min_gain,
                     Evaluation& evaluation) {
  if (is_worth_asking_again(fact.verdict)) return;
  if (fact.verdict != Verdict::ok) return evaluation.take(fact);
  if (!fact.comparison) return;
  const RoleFigure figure = role_figure(*fact.comparison, validation_role, rule);
  if (figure.count > 0) add_validation(figure.speedup, figure.ci, min_gain, evaluation);
}

bool is_resolved(const Interval& ci, double within) {
  return ci.low > 0 && std::log(ci.high / ci.low) / 2 <= std::log1p(within);
}

std::string figure_note(const Fact& fact, std::string_view role) {
  constexpr std::size_t longest = 200;
  if (fact.verdict == Verdict::lost && !fact.message.empty())
    return fact.message.substr(0, longest);
  if (fact.verdict != Verdict::ok) return std::string(to_string(fact.verdict)) + " " + fact.reason;
  const std::string flag = unresolved_flag + std::string(role);
  const auto& flags = fact.policy_flags;
  return std::ranges::find(flags, flag) == flags.end() ? "" : std::string(not_resolved);
}

}  // namespace ke
