#include "fitness/judging/tally.hpp"

#include <optional>

#include "fitness/timing/log_estimate.hpp"
#include "fitness/timing/recorded_cluster.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

// Drops the first quad where there are enough; slow opponents get only one or two in all.
ClusterRule rule_for(std::size_t quads) {
  if (quads >= 5) return {.dropped = 1, .least_quads = 4};
  return {.dropped = quads >= 3 ? 1 : 0, .least_quads = 1};
}

double median_ns(const std::vector<Cluster>& clusters, char arm) {
  std::vector<double> values;
  for (const Cluster& cluster : clusters) {
    for (std::size_t i = 0; i < cluster.samples_ns.size(); ++i) {
      if (cluster.order[i] == arm) values.push_back(static_cast<double>(cluster.samples_ns[i]));
    }
  }
  return values.empty() ? 0 : median_of(values);
}

}  // namespace

Tally::Tally(const std::vector<TimedWorkload>& plan, const SpreadPrior& prior) : prior_(prior) {
  for (const TimedWorkload& timed : plan) {
    Row row;
    row.timing.workload = timed.workload->label;
    row.timing.role = std::string(to_string(timed.workload->role));
    rows_.push_back(std::move(row));
  }
}

bool Tally::add(PairResult result) {
  std::vector<std::optional<ClusterEstimate>> estimates;
  std::vector<ClusterEstimate> measured;
  const Noise unmeasured{"not_measurable", short_text};
  noise_.reset();
  if (result.clusters.size() < rows_.size()) {
    noise_ = result.noise.back();
    return false;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool bench = rows_[i].timing.role == "bench";
    if (result.noise[i] && bench) noise_ = result.noise[i];
    const auto quads = quads_of(result.clusters[i]);
    estimates.push_back(quads ? estimate_cluster(*quads, rule_for(quads->size())) : std::nullopt);
    if (estimates.back()) measured.push_back(*estimates.back());
    // Other shapes may be too short to time; the figures then omit them.
    if (!estimates.back() && bench) noise_ = unmeasured;
  }
  if (measured.empty()) noise_ = unmeasured;
  if (noise_) return false;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    result.clusters[i].padding = result.padding;
    rows_[i].timing.clusters.push_back(std::move(result.clusters[i]));
    if (estimates[i]) rows_[i].estimates.push_back(*estimates[i]);
  }
  combined_.push_back(combine_workloads(measured));
  return true;
}

Comparison Tally::comparison() const {
  Comparison all;
  std::vector<LogEstimate> logs;
  for (const Row& row : rows_) {
    WorkloadTiming timing = row.timing;
    timing.candidate_ns = median_ns(timing.clusters, 'A');
    timing.opponent_ns = median_ns(timing.clusters, 'B');
    if (!row.estimates.empty()) {
      logs.push_back(estimate_log_speedup(row.estimates, prior_));
      const SpeedupInterval interval = speedup_interval(logs.back());
      timing.speedup = interval.speedup;
      timing.ci = {interval.low, interval.high};
    }
    all.workloads.push_back(std::move(timing));
  }
  if (logs.empty()) return all;
  const SpeedupInterval interval = speedup_interval(geometric_mean(logs));
  all.speedup = interval.speedup;
  all.ci = {interval.low, interval.high};
  return all;
}

}  // namespace ke
