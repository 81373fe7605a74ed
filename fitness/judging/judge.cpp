#include "fitness/judging/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/evaluation.hpp"
#include "core/search/role_figure.hpp"
#include "fitness/judging/pair_result.hpp"
#include "fitness/timing/clock.hpp"
#include "fitness/timing/cluster.hpp"
#include "fitness/timing/log_estimate.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

// A challenger that is so much faster, relative to its opponent, on contents that its process met
// before remembers them. Less gains nothing, since figures are those on new contents, and may be
// honest: branch prediction made a scalar ReLU 1.8 times as fast. Decided in several clusters,
// since a quad may have bad luck.
constexpr double remembered_gain = 3;
constexpr double remembered_error = 0.001;  // one-sided
constexpr std::size_t least_recalled = 4;   // clusters
// Samples in which an arm gave up its processor: this many, and this many times those of the other.
constexpr std::int64_t many_waits = 10, waits_ratio = 5;

// Drops the first quad where there are enough; slow opponents get only one or two in all.
ClusterRule rule_for(std::size_t quads) {
  if (quads >= 5) return {.dropped = 1, .least_quads = 4};
  return {.dropped = quads >= 3 ? 1 : 0, .least_quads = 1};
}

/// All clusters of one comparison.
class Tally {
 public:
  Tally(const std::vector<TimedWorkload>& plan, const SpreadPrior& prior, const WorkloadMean& mean)
      : prior_(prior), mean_(mean) {
    for (const TimedWorkload& timed : plan) {
      Row row;
      row.timing.workload = timed.workload->label;
      row.timing.role = std::string(to_string(timed.workload->role));
      rows_.push_back(std::move(row));
    }
  }

  /// Adds the result of one pair of processes. Returns false and adds nothing when a bench workload
  /// could not be measured; `noise` then has the reason.
  bool add(PairResult result) {
    std::vector<std::optional<ClusterEstimate>> estimates;
    std::vector<ClusterEstimate> measured;
    std::vector<double> parts;
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
      if (estimates.back()) {
        measured.push_back(*estimates.back());
        const double opponent_ns = median_ns({&result.clusters[i], 1}, 'B');
        parts.push_back(mean_.part(rows_[i].timing.workload, opponent_ns));
      }
      // Other shapes may be too short to time; the figures then omit them.
      if (!estimates.back() && bench) noise_ = unmeasured;
    }
    if (measured.empty()) noise_ = unmeasured;
    if (noise_) return false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      result.clusters[i].padding = result.padding;
      rows_[i].timing.clusters.push_back(std::move(result.clusters[i]));
      if (estimates[i]) rows_[i].estimates.push_back(*estimates[i]);
      if (i < result.recall.size() && result.recall[i])
        rows_[i].recall.push_back(*result.recall[i]);
    }
    for (std::size_t arm = 0; arm < 2; ++arm) {
      waits_[arm].own += result.waits[arm].own;
      waits_[arm].samples += result.waits[arm].samples;
    }
    combined_.push_back(combine_workloads(measured, {mean_, parts}));
    return true;
  }

  /// One estimate per cluster, over all workloads together.
  const std::vector<ClusterEstimate>& combined() const { return combined_; }
  /// Why the last pair was not added.
  const std::optional<Noise>& noise() const { return noise_; }
  /// Speedups with intervals; the caller sets `decision` and `resolvable`.
  Comparison comparison() const {
    Comparison all;
    std::vector<std::vector<ClusterEstimate>> timed;
    for (const Row& row : rows_) {
      if (!row.estimates.empty()) timed.push_back(row.estimates);
    }
    const std::vector<LogEstimate> logs = estimate_log_speedups(timed, prior_);
    std::vector<double> parts;
    auto log = logs.begin();
    for (const Row& row : rows_) {
      WorkloadTiming timing = row.timing;
      timing.candidate_ns = median_ns(timing.clusters, 'A');
      timing.opponent_ns = median_ns(timing.clusters, 'B');
      if (!row.estimates.empty()) {
        const SpeedupInterval interval = speedup_interval(*log++);
        timing.speedup = interval.speedup;
        timing.ci = {interval.low, interval.high};
        parts.push_back(mean_.part(timing.workload, timing.opponent_ns));
      }
      all.workloads.push_back(std::move(timing));
    }
    if (logs.empty()) return all;
    const SpeedupInterval interval = speedup_interval(mean_estimate(logs, {mean_, parts}));
    all.speedup = interval.speedup;
    all.ci = {interval.low, interval.high};
    return all;
  }

  /// A finding about how the challenger was timed, if there is one.
  std::optional<Finding> finding() const {
    if (auto found = waits()) return found;
    return remembers();
  }

 private:
  struct Row {
    WorkloadTiming timing;
    std::vector<ClusterEstimate> estimates;
    std::vector<ClusterEstimate> recall;  ///< see PairResult
  };
  std::optional<Finding> remembers() const {
    for (const Row& row : rows_) {
      if (row.recall.size() < least_recalled) continue;
      const LogEstimate estimate = estimate_log_speedup(row.recall, prior_);
      if (lower_bound(estimate, remembered_error) <= std::log(remembered_gain)) continue;
      return Finding{
          Verdict::suspicious, "remembers_inputs",
          fmt::format("{:.2f} times as fast as on new inputs where its process had met the "
                      "inputs before, relative to the opponent",
                      std::exp(estimate.mean))};
    }
    return std::nullopt;
  }

  std::optional<Finding> waits() const {
    const Waits &own = waits_[0], &other = waits_[1];
    if (own.own < many_waits || own.own <= waits_ratio * (other.own + 1)) return std::nullopt;
    return Finding{Verdict::suspicious, "waits",
                   fmt::format("the kernel gave up its processor in {} of {} timed samples, its "
                               "opponent in {} of {}",
                               own.own, own.samples, other.own, other.samples)};
  }

  SpreadPrior prior_;
  WorkloadMean mean_;
  std::vector<Row> rows_;
  std::vector<ClusterEstimate> combined_;
  Waits waits_[2];
  std::optional<Noise> noise_;
};

constexpr int least_looked_at = 2;   // clusters; the second exposes a kernel that remembers results
constexpr int verify_patience = 2;   // factor on the plan, for a precise figure or quiet moments
constexpr int resolve_patience = 4;  // the same, for a figure that is not resolved yet
constexpr double precise_log = 0.02;   // half width of a bench workload's interval
constexpr double precise_share = 0.1;  // share of the gain's logarithm; the wider limit holds
constexpr int pair_tries = 5;          // attempts at one cluster that something else disturbs
constexpr int most_plans = 3;          // plans for the first cluster
// Fewest clusters of a verification whose figure is not resolved; least_looked_at once they have
// taken 2 resolve_patience times the planned time.
constexpr int least_verified = 4;

/// Whether bench figures near 1 are known to 2 %, and larger ones to a tenth of their gain.
bool is_precise(const Comparison& comparison) {
  return std::ranges::all_of(comparison.workloads, [](const WorkloadTiming& timing) {
    const double width = std::log(timing.ci.high / timing.ci.low) / 2;
    const double wanted = std::max(precise_log, precise_share * std::abs(std::log(timing.speedup)));
    return timing.role != "bench" || width <= wanted;
  });
}

/// Whether a worker was killed by something outside: measure again.
bool is_lost(const ArmFindings& findings) {
  const auto lost = [](const std::optional<Finding>& finding) {
    return finding && finding->verdict == Verdict::lost;
  };
  return lost(findings.challenger) || lost(findings.opponent);
}
constexpr const char* timed_roles[] = {"bench", "validation", "holdout"};

/// Times one job's arms against each other.
class TimedComparison {
 public:
  TimedComparison(TimedDevice& device, const JudgingRules& rules, const std::atomic<bool>& closing,
                  Judgement& judgement, const JudgedJob& judged)
      : device_(device),
        rules_(rules),
        closing_(closing),
        judgement_(judgement),
        kind_(judged.job.kind),
        fact_(judged.fact) {}

  Result<void> run(const std::vector<const Workload*>& on) {
    KE_TRY(bool measured, first_cluster(on));
    Decision ended{};
    if (measured && kind_ == JobKind::duel) {
      KE_TRY(measured, decide_duel(ended));
    } else if (measured && kind_ == JobKind::verify) {
      KE_TRY(measured, more_clusters());
    }
    if (!measured || !judgement_.passes({tally_.finding(), std::nullopt})) return {};
    KE_TRY_VOID(conclude());
    if (kind_ != JobKind::duel) return judge_floors();
    fact_.comparison->decision = ended;
    return {};
  }

 private:
  // The first cluster tests the plan: if its samples are too short, plans again with the knowledge
  // that the device gained.
  Result<bool> first_cluster(const std::vector<const Workload*>& on) {
    for (int plans = 1;; ++plans) {
      KE_TRY(SamplePlan plan, device_.plan(on));
      if (!judgement_.passes(plan)) return false;
      timed_ = std::move(plan.workloads);
      tally_ = Tally(timed_, rules_.duel.prior, device_.task().mean);
      KE_TRY(const bool measured, cluster(timed_, tally_));
      if (measured || fact_.reason != short_sample || plans == most_plans) return measured;
    }
  }

  // Returns false when the fact is decided: wrong, crashed, or not measurable now. Repeats a pair
  // that something else disturbed, at most pair_tries times.
  Result<bool> cluster(const std::vector<TimedWorkload>& timed, Tally& tally) {
    for (int tried = 0; tried < pair_tries && !closing_; ++tried) {
      KE_TRY(PairResult result, device_.pair(timed));
      judgement_.flag_unchecked(result.unchecked_registers);
      if (is_lost(result) && tried + 1 < pair_tries) continue;
      if (!judgement_.passes(result)) return false;
      if (tally.add(std::move(result))) return true;
      fact_.verdict = Verdict::unreliable;
      fact_.reason = tally.noise()->reason;
      fact_.message = tally.noise()->message;
      if (!tally.noise()->passes || now_ns() > begin_ns_ + patience_ns()) return false;
    }
    return false;
  }

  std::int64_t patience_ns() const {
    return kind_ == JobKind::verify ? verify_patience * rules_.verify_ns : rules_.patience_ns;
  }

  /// Roles whose figure is known less well than reports need.
  std::vector<std::string> unresolved(const Comparison& comparison) const {
    std::vector<std::string> roles;
    for (const char* role : timed_roles) {
      const RoleFigure figure = role_figure(comparison, role, device_.task().mean);
      if (figure.count > 0 && !is_resolved(figure.ci, rules_.verify_within)) roles.push_back(role);
    }
    return roles;
  }

  bool is_enough(int measured) const {
    const std::int64_t spent_ns = now_ns() - begin_ns_;
    if (measured < least_looked_at) return false;
    if (spent_ns > 2 * resolve_patience * rules_.verify_ns) return true;
    const Comparison so_far = tally_.comparison();
    // Figures that would say little get more time, and at least as many clusters as others.
    if (!unresolved(so_far).empty()) {
      return measured >= least_verified && (spent_ns > resolve_patience * rules_.verify_ns ||
                                            measured >= resolve_patience * rules_.verify_clusters);
    }
    const bool late = spent_ns > verify_patience * rules_.verify_ns;
    if (late || measured >= verify_patience * rules_.verify_clusters) return true;
    // Far slower opponents are known well enough before eight clusters.
    const bool planned = measured >= rules_.verify_clusters ||
                         (measured >= least_verified && spent_ns > rules_.verify_ns);
    return planned && is_precise(so_far);
  }

  Result<bool> more_clusters() {
    for (int i = 1; !is_enough(i) && !closing_; ++i) {
      KE_TRY(const bool measured, cluster(timed_, tally_));
      if (measured) continue;
      // Keep the clusters from quieter moments.
      return fact_.verdict == Verdict::unreliable && tally_.noise() && tally_.noise()->passes &&
             i >= least_verified;
    }
    return true;
  }

  // Looks at the clusters as often as the rule demands. Undecided when the time is up.
  Result<bool> decide_duel(Decision& ended) {
    const std::int64_t begin_ns = now_ns();
    ended = decide(tally_.combined(), rules_.duel).decision;
    while (ended == Decision::none && !closing_ && now_ns() - begin_ns < rules_.duel_ns) {
      const int more =
          clusters_to_next_look(static_cast<int>(tally_.combined().size()), rules_.duel);
      for (int i = 0; i < more; ++i) {
        KE_TRY(const bool measured, cluster(timed_, tally_));
        if (!measured) return false;
      }
      ended = decide(tally_.combined(), rules_.duel).decision;
    }
    if (ended == Decision::none) ended = Decision::undecided;
    return true;
  }

  Result<void> conclude() {
    KE_TRY(const MemoryRate rate, device_.memory_rate());
    Comparison all = tally_.comparison();
    for (std::size_t i = 0; i < timed_.size(); ++i) {
      all.workloads[i].floor_ns = memory_floor_ns(device_.task(), *timed_[i].workload, rate);
    }
    const double width = all.ci.low > 0 ? std::log(all.ci.high / all.ci.low) : 0;
    all.resolvable = std::expm1(width / 2);
    fact_.verdict = Verdict::ok;
    fact_.reason.clear();
    fact_.message.clear();
    if (kind_ == JobKind::verify) {
      for (const std::string& role : unresolved(all)) {
        fact_.policy_flags.push_back(unresolved_flag + role);
      }
    }
    fact_.comparison = std::move(all);
    return {};
  }

  bool is_below_floor() const {
    return std::ranges::any_of(fact_.comparison->workloads, [this](const WorkloadTiming& timing) {
      return timing.candidate_ns > 0 && timing.candidate_ns < rules_.floor_share * timing.floor_ns;
    });
  }

  // Measures a result faster than memory allows again, in a fresh process with three times the
  // samples. Applies to screens, which feed the search, and to verifications, which reports quote;
  // a duel's winner is verified before anyone quotes it.
  Result<void> judge_floors() {
    if (!is_below_floor()) return {};
    device_.renew_process();
    std::vector<TimedWorkload> longer = timed_;
    for (TimedWorkload& workload : longer) workload.quads *= 3;
    Tally again(longer, rules_.duel.prior, device_.task().mean);
    KE_TRY(const bool measured, cluster(longer, again));
    if (!measured) return {};
    const auto agree = [](const WorkloadTiming& first, const WorkloadTiming& second) {
      const double ratio = second.candidate_ns / first.candidate_ns;
      return ratio > 0.8 && ratio < 1.25;
    };
    if (std::ranges::equal(fact_.comparison->workloads, again.comparison().workloads, agree)) {
      fact_.policy_flags.push_back("below_floor");
      return {};
    }
    fact_.verdict = Verdict::suspicious;
    fact_.reason = "below_floor";
    fact_.message = "faster than memory allows, and not so when measured again";
    return {};
  }

  TimedDevice& device_;
  const JudgingRules& rules_;
  const std::atomic<bool>& closing_;
  Judgement& judgement_;
  JobKind kind_;
  Fact& fact_;
  const std::int64_t begin_ns_ = now_ns();
  std::vector<TimedWorkload> timed_;
  Tally tally_{{}, {}, {}};
};

double weighed_total(const Comparison& comparison, double WorkloadTiming::*time,
                     const WorkloadMean& mean) {
  double sum = 0;
  for (const WorkloadTiming& timing : comparison.workloads) {
    sum += mean.weight(timing.workload) * timing.*time;
  }
  return sum;
}

Comparison exact_comparison(const std::vector<const Workload*>& on,
                            const std::vector<double> (&costs)[2], const WorkloadMean& mean) {
  Comparison all;
  std::vector<double> logs, parts;
  for (std::size_t i = 0; i < on.size(); ++i) {
    WorkloadTiming row;
    row.workload = on[i]->label;
    row.role = std::string(to_string(on[i]->role));
    row.candidate_ns = std::max(costs[0][i], 1.0);
    row.opponent_ns = std::max(costs[1][i], 1.0);
    row.speedup = row.opponent_ns / row.candidate_ns;
    row.ci = {row.speedup, row.speedup};
    logs.push_back(std::log(row.speedup));
    parts.push_back(mean.part(row.workload, row.opponent_ns));
    all.workloads.push_back(std::move(row));
  }
  all.speedup = std::exp(mean.of(logs, parts).log);
  // Equal totals are equal to the last bit.
  if (mean.total_time) {
    all.speedup = weighed_total(all, &WorkloadTiming::opponent_ns, mean) /
                  weighed_total(all, &WorkloadTiming::candidate_ns, mean);
  }
  all.ci = {all.speedup, all.speedup};
  return all;
}

}  // namespace

void JudgingRules::read(Params& device, int least_quads, const std::string& verify_time) {
  screen_quads = static_cast<int>(device.integer("screen_quads", screen_quads, {least_quads, 1000},
                                                 "kept quads of a screen, over all workloads"));
  duel_quads =
      static_cast<int>(device.integer("duel_quads", duel_quads, {least_quads, 1000},
                                      "kept quads of a duel's cluster, over all workloads"));
  duel.prior.spread = device.real("spread", duel.prior.spread, {0, 1},
                                  "expected spread between clusters, as a fraction");
  verify_clusters = static_cast<int>(
      device.integer("verify_clusters", verify_clusters, {2, 1000}, "clusters of a verification"));
  verify_ns = 1'000'000 * device.duration_ms("verify_time", verify_time, {100, 3'600'000},
                                             "goal for timing one opponent of a verification");
  verify_within = device.added("100").real(
      "verify_within", verify_within, {0.001, 100},
      "verification goes on, up to four times its goal, until the 95 % interval of each role's "
      "figure ends within this share on either side; what is wider is printed as not resolved");
  floor_share = device.real("floor_share", floor_share, {0, 1},
                            "faster than this share of the memory floor is measured again");
}

Result<void> judge(TimedDevice& device, const JudgingRules& rules, const std::atomic<bool>& closing,
                   const JudgedJob& judged) {
  Judgement judgement(device, judged);
  return judgement.run([&](const std::vector<const Workload*>& on) {
    return TimedComparison(device, rules, closing, judgement, judged).run(on);
  });
}

Result<void> judge(ExactDevice& device, const JudgedJob& judged) {
  Judgement judgement(device, judged);
  return judgement.run([&](const std::vector<const Workload*>& on) -> Result<void> {
    ArmFindings findings;
    std::vector<double> costs[2];
    KE_TRY(findings.opponent, device.costs(1, on, costs[1]));
    if (!findings.opponent) {
      KE_TRY(findings.challenger, device.costs(0, on, costs[0]));
    }
    if (!judgement.passes(findings)) return {};
    Comparison all = exact_comparison(on, costs, device.task().mean);
    if (judged.job.kind == JobKind::duel)
      all.decision = all.speedup > 1 ? Decision::better : Decision::worse;
    judged.fact.verdict = Verdict::ok;
    judged.fact.comparison = std::move(all);
    return {};
  });
}

}  // namespace ke
