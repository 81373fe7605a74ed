#include "fitness/gpu/gpu_pair.hpp"

#include <algorithm>

#include "fitness/gpu/gpu_quad.hpp"

namespace ke::gpu {
namespace {

constexpr int quads_of_a_suspect = 8;
constexpr int reloads_of_a_suspect = 3;
constexpr int known_calls_of_a_suspect = 8;

/// Times one workload in loaded modules.
class GpuBlock {
 public:
  GpuBlock(GpuBench& bench, const GpuBuiltPtr& challenger, const GpuBuiltPtr& opponent,
           const TimedWorkload& plan, const CallRules& rules, PairResult& result)
      : bench_(bench),
        challenger_(challenger),
        plan_(plan),
        rules_(rules),
        result_(result),
        slack_ns_(opponent->module ? HiddenTime::slack_of_modules_ns
                                   : HiddenTime::slack_of_kernels_ns) {
    rules_.limit_ms = std::max<std::int64_t>(plan.call_limit_ns / 1'000'000, 1);
  }

  /// False when a finding, or a GPU that throttles itself, ended it.
  Result<bool> run() {
    KE_TRY(pool_, bench_.contents.plain(*plan_.workload));
    hold_back();
    for (int q = 0; q < plan_.quads; ++q) {
      if (2 * q >= plan_.quads) holding_ = false;
      GpuQuad quad;
      KE_TRY(const bool taken, take_calm_quad([this](GpuQuad& one) { return take(one); }, quad));
      if (!taken) return false;
      if (quad.throttled) {
        result_.noise.emplace_back(Noise{
            "throttled",
            "the GPU slowed itself down while it was timed: " + bench_.watch.slowdowns(), true});
        return false;
      }
      keep(quad);
    }
    KE_TRY(bool judged, judge_hidden_time());
    if (judged) {
      KE_TRY(judged, judge_memory());
    }
    if (!judged) return false;
    result_.recall.push_back(recall_.estimate());
    result_.clusters.push_back(std::move(cluster_));
    result_.noise.push_back(std::nullopt);
    return true;
  }

 private:
  Result<bool> take(GpuQuad& quad) {
    const bool slow_before = bench_.watch.look();
    quad.order = bench_.contents.random().below(2) == 0 ? "ABBA" : "BAAB";
    for (std::size_t i = 0; i < 4; ++i) {
      KE_TRY(const bool good, sample(quad.order[i] == 'A' ? 0 : 1, quad, i));
      if (!good) return false;
    }
    quad.throttled = bench_.watch.look() || slow_before;
    return true;
  }

  void keep(const GpuQuad& quad) {
    cluster_.order += quad.order;
    cluster_.samples_ns.insert(cluster_.samples_ns.end(), quad.event_ns.begin(),
                               quad.event_ns.end());
    cluster_.cpu_ns.insert(cluster_.cpu_ns.end(), quad.host_ns.begin(), quad.host_ns.end());
  }

  Result<bool> sample(int arm, GpuQuad& quad, std::size_t at) {
    const int calls = plan_.calls[arm];
    for (int i = 0; i < calls; ++i) {
      const bool is_new = is_held_[arm] && !holding_;
      if (is_new) is_held_[arm] = false;
      KE_TRY(const GpuSample one, call(arm, is_new));
      if (one.finding) return false;
      if (arm == 0) first_call_.add(is_new, one.event_ns);
      recall_.add(arm, is_new, one.event_ns);
      quad.event_ns[at] += one.event_ns;
      quad.host_ns[at] += one.host_ns;
      hidden_.add(arm, one.event_ns, one.host_ns);
    }
    quad.event_ns[at] = std::max<std::int64_t>(quad.event_ns[at] / calls, 1);
    quad.host_ns[at] /= calls;
    return true;
  }

  // Pools of large shapes hold few contents, whose answers a kernel could remember. So both arms
  // meet one of them only after half of their samples.
  void hold_back() {
    holding_ = pool_->entries().size() > 1;
    is_held_[0] = is_held_[1] = holding_;
    held_ = bench_.contents.random().below(pool_->entries().size());
  }

  FreshContent content(int arm, bool is_new) {
    if (is_new) return pool_->fresh(held_);
    if (!is_held_[arm]) return pool_->fresh();
    const std::size_t other = bench_.contents.random().below(pool_->entries().size() - 1);
    return pool_->fresh(other + (other >= held_ ? 1 : 0));
  }

  Result<GpuSample> call(int arm, bool is_new) {
    KE_TRY(GpuSample one, bench_.call(arm, *plan_.workload, content(arm, is_new), rules_));
    if (one.finding) (arm == 0 ? result_.challenger : result_.opponent) = one.finding;
    return one;
  }

  // A freshly loaded module has no memory of earlier calls.
  Result<bool> judge_memory() {
    if (!first_call_.suspected()) return true;
    for (int i = 0; i < reloads_of_a_suspect; ++i) {
      KE_TRY(result_.challenger, bench_.load(0, challenger_, true));
      if (result_.challenger) return false;
      FirstCall again;
      hold_back();
      for (int k = 0; k <= known_calls_of_a_suspect; ++k) {
        const bool is_new = k == known_calls_of_a_suspect;
        KE_TRY(const GpuSample one, call(0, is_new));
        if (one.finding) return false;
        again.add(is_new, one.event_ns);
      }
      if (!again.suspected()) return true;
    }
    result_.challenger =
        Finding{Verdict::suspicious, "remembers_inputs",
                "calls on contents seen before were far faster than the first call on a new one"};
    return false;
  }

  // Confirms a suspicion with further calls, which no figure includes.
  Result<bool> judge_hidden_time() {
    if (!hidden_.suspected(slack_ns_)) return true;
    hidden_ = {};
    for (int q = 0; q < quads_of_a_suspect; ++q) {
      GpuQuad spare;
      KE_TRY(const bool taken, take(spare));
      if (!taken) return false;
    }
    if (!hidden_.suspected(slack_ns_)) return true;
    result_.challenger =
        Finding{Verdict::suspicious, "time_outside_events",
                "calls take longer on the judge's clock than their events on the device say"};
    return false;
  }

  GpuBench& bench_;
  const GpuBuiltPtr& challenger_;
  const TimedWorkload& plan_;
  CallRules rules_;
  PairResult& result_;
  ContentPool* pool_ = nullptr;
  Cluster cluster_;
  HiddenTime hidden_;
  std::int64_t slack_ns_;             ///< slack for `hidden_`
  std::size_t held_ = 0;              ///< the pool entry that is held back
  bool is_held_[2] = {false, false};  ///< the arm has not met it
  bool holding_ = false;              ///< and must not meet it yet
  FirstCall first_call_;
  Recall recall_;
};

}  // namespace

Result<PairResult> measure_gpu_pair(GpuBench& bench, const GpuBuiltPtr& challenger,
                                    const GpuBuiltPtr& opponent,
                                    const std::vector<TimedWorkload>& plan,
                                    const CallRules& rules) {
  PairResult result;
  KE_TRY(result.challenger, bench.load(0, challenger, true));
  KE_TRY(result.opponent, bench.load(1, opponent, true));
  if (result.challenger || result.opponent) return result;
  for (const TimedWorkload& timed : plan) {
    KE_TRY(const bool good, GpuBlock(bench, challenger, opponent, timed, rules, result).run());
    if (!good) break;
  }
  return result;
}

}  // namespace ke::gpu
