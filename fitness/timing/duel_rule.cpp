#include "fitness/timing/duel_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "fitness/timing/log_estimate.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

// Index of the last look that `clusters` reach, or -1 before the first.
int reached_look(int clusters, const DuelRule& rule) {
  int reached = -1;
  while (reached + 1 < static_cast<int>(rule.looks.size()) &&
         rule.looks[static_cast<std::size_t>(reached + 1)] <= clusters)
    ++reached;
  return reached;
}

Decision decision_at(const DuelOutcome& outcome, bool last, const DuelRule& rule) {
  const double target = portable_log(1.0 + rule.margin);
  if (outcome.lower > target) return Decision::better;
  if (outcome.upper < 0.0) return Decision::worse;
  if (last) return Decision::undecided;
  const bool hopeless = outcome.upper < target || outcome.estimate < target;
  return rule.futility && hopeless ? Decision::undecided : Decision::none;
}

bool glances(const DuelRule& rule) {
  return rule.futility && rule.glance > 1 && rule.glance < rule.looks.front();
}

std::optional<std::string> problem_of_look(const DuelRule& rule, std::size_t look) {
  const int least = look > 0 ? rule.looks[look - 1] + 1 : (rule.prior.degrees > 0.0 ? 1 : 2);
  if (rule.looks[look] < least)
    return fmt::format("look {} at {} clusters: at least {} are needed", look + 1, rule.looks[look],
                       least);
  const double error = rule.errors[look];
  if (!(error > 0.0 && error < 0.5))
    return fmt::format("error {} of look {} is outside (0, 0.5)", error, look + 1);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> problem_of(const DuelRule& rule) {
  if (rule.looks.empty()) return "a duel needs at least one look";
  if (rule.looks.size() != rule.errors.size())
    return fmt::format("{} looks but {} errors", rule.looks.size(), rule.errors.size());
  if (!(rule.margin >= 0.0)) return fmt::format("margin {} is below 0", rule.margin);
  if (!(rule.prior.spread >= 0.0 && rule.prior.degrees >= 0.0))
    return fmt::format("prior spread {} with {} degrees: both must be at least 0",
                       rule.prior.spread, rule.prior.degrees);
  for (std::size_t look = 0; look < rule.looks.size(); ++look)
    if (auto problem = problem_of_look(rule, look)) return problem;
  return std::nullopt;
}

namespace {

DuelOutcome outcome_of(std::span<const ClusterEstimate> clusters, double error,
                       const DuelRule& rule) {
  const auto estimate = estimate_log_speedup(clusters, rule.prior);
  return {Decision::none,
          static_cast<int>(clusters.size()),
          estimate.mean,
          lower_bound(estimate, error),
          upper_bound(estimate, error),
          false};
}

DuelOutcome glance_at(std::span<const ClusterEstimate> clusters, const DuelRule& rule) {
  const auto used = static_cast<std::size_t>(std::max(rule.glance, 0));
  if (!glances(rule) || clusters.size() < used) return {};
  DuelOutcome outcome = outcome_of(clusters.first(used), rule.errors.front(), rule);
  if (outcome.estimate >= 0.0) return {};
  outcome.decision = outcome.upper < 0.0 ? Decision::worse : Decision::undecided;
  outcome.futile = outcome.decision == Decision::undecided;
  return outcome;
}

}  // namespace

DuelOutcome decide(std::span<const ClusterEstimate> clusters, const DuelRule& rule) {
  KE_CHECK(!problem_of(rule));
  const int look = reached_look(static_cast<int>(clusters.size()), rule);
  if (look < 0) return glance_at(clusters, rule);
  const auto index = static_cast<std::size_t>(look);
  const auto used = static_cast<std::size_t>(rule.looks[index]);
  DuelOutcome outcome = outcome_of(clusters.first(used), rule.errors[index], rule);
  const bool last = index + 1 == rule.looks.size();
  outcome.decision = decision_at(outcome, last, rule);
  outcome.futile = !last && outcome.decision == Decision::undecided;
  return outcome;
}

int clusters_to_next_look(int clusters, const DuelRule& rule) {
  if (glances(rule) && clusters < rule.glance) return rule.glance - clusters;
  for (int look : rule.looks)
    if (look > clusters) return look - clusters;
  return 0;
}

}  // namespace ke
