#include "experiments/study/compare/shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "experiments/study/statistics/profiles.hpp"
#include "experiments/study/statistics/targets.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr std::size_t most_thresholds =
    400;  // beyond, of thousands of runs, some steps are left out
constexpr double usual_speedups[] = {0, 0.8, 1, 1.2, 1.5, 2, 3, 5};

using Values = std::map<std::string, std::vector<Observation>>;  // by arm

/// Cost of an arm on a task: larger is worse; infinite if no run reached the target.
double cost_of(const Analysis& analysis, const std::vector<Observation>& own,
               const std::string& task) {
  std::vector<double> values;
  bool any = false;
  for (const Observation& o : own) {
    if (o.task != task) continue;
    values.push_back(o.value);
    any = any || !o.censored;
  }
  if (values.empty() || !any) return std::numeric_limits<double>::infinity();
  const double mean = mean_of(values);
  return analysis.larger_is_better ? 1 / mean : mean;
}

/// Every factor at which a share changes: cost over the best arm's, rounded so that it holds.
std::vector<double> factors_of(const std::vector<std::vector<double>>& costs) {
  std::set<double> factors = {1};
  for (std::size_t task = 0; task < costs.front().size(); ++task) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& arm : costs) best = std::min(best, arm[task]);
    for (const auto& arm : costs) {
      if (!std::isfinite(arm[task])) continue;
      double factor = arm[task] / best;
      while (factor * best < arm[task]) factor = std::nextafter(factor, 2 * factor);
      factors.insert(factor);
    }
  }
  return {factors.begin(), factors.end()};
}

ShareCurve profile_of(const Analysis& analysis, const Values& values) {
  std::set<std::string> tasks;
  for (const auto& [arm, own] : values) {
    for (const Observation& o : own) {
      if (!(o.value > 0)) return {};
      tasks.insert(o.task);
    }
  }
  std::vector<std::vector<double>> costs;
  for (const auto& [arm, own] : values) {
    auto& row = costs.emplace_back();
    for (const std::string& task : tasks) row.push_back(cost_of(analysis, own, task));
  }
  ShareCurve curve{factors_of(costs), {}};
  const auto shares = statistics::performance_profile(costs, curve.thresholds);
  std::size_t i = 0;
  for (const auto& [arm, own] : values) curve.shares[arm] = shares[i++];
  return curve;
}

/// Selects at most `most_thresholds` of the observed values.
std::vector<double> thresholds_of(std::span<const Observation> observations) {
  std::set<double> distinct;
  for (const Observation& o : observations) distinct.insert(o.value);
  const std::vector<double> all(distinct.begin(), distinct.end());
  if (all.size() <= most_thresholds) return all;
  std::vector<double> some;
  for (std::size_t i = 0; i < most_thresholds; ++i) {
    some.push_back(all[i * (all.size() - 1) / (most_thresholds - 1)]);
  }
  return some;
}

ShareCurve reached(const Values& values, const std::vector<double>& budgets) {
  ShareCurve curve{budgets, {}};
  std::vector<std::int64_t> limits;
  for (const double budget : budgets) limits.push_back(static_cast<std::int64_t>(budget));
  for (const auto& [arm, own] : values) {
    std::vector<statistics::TargetRun> runs;
    for (const Observation& o : own) {
      runs.push_back({static_cast<std::int64_t>(o.value), !o.censored});
    }
    curve.shares[arm] = statistics::shares_reached(runs, limits);
  }
  return curve;
}

ShareCurve above(const Values& values, const std::vector<double>& thresholds) {
  ShareCurve curve{thresholds, {}};
  for (const auto& [arm, own] : values) {
    std::vector<double> scores;
    for (const Observation& o : own) scores.push_back(o.value);
    curve.shares[arm] = statistics::shares_above(scores, thresholds);
  }
  return curve;
}

}  // namespace

Shares shares_of(const Analysis& analysis, const std::vector<std::string>& arms,
                 std::span<const Observation> observations) {
  Values values;
  for (const Observation& o : observations) {
    if (std::ranges::find(arms, o.arm) != arms.end()) values[o.arm].push_back(o);
  }
  if (values.empty()) return {};
  Shares shares;
  shares.profile = profile_of(analysis, values);
  const auto thresholds = thresholds_of(observations);
  shares.distribution = analysis.endpoint == Endpoint::evaluations_to_target
                            ? reached(values, thresholds)
                            : above(values, thresholds);
  if (analysis.endpoint == Endpoint::best_verified_speedup) {
    std::set<double> speedups(thresholds.begin(), thresholds.end());
    speedups.insert(std::begin(usual_speedups), std::end(usual_speedups));
    shares.fast_p = above(values, {speedups.begin(), speedups.end()});
  }
  return shares;
}

}  // namespace ke
