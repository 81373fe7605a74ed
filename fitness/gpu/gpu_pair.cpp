#include "fitness/gpu/gpu_pair.hpp"

#include <algorithm>
#include <cmath>

#include "fitness/gpu/gpu_quad.hpp"
#include "fitness/gpu/hidden_time.hpp"

namespace ke::gpu {
namespace {

constexpr int quads_of_a_suspect = 8;

/// Times one workload in loaded modules.
class GpuBlock {
 public:
  GpuBlock(GpuBench& bench, const TimedWorkload& plan, const CallRules& rules, PairResult& result)
      : bench_(bench), plan_(plan), rules_(rules), result_(result) {
    rules_.limit_ms = std::max<std::int64_t>(plan.call_limit_ns / 1'000'000, 1);
  }

  /// False when a finding, or a GPU that slows itself down, ended it.
  Result<bool> run() {
    KE_TRY(pool_, bench_.contents.plain(*plan_.workload));
    for (int q = 0; q < plan_.quads; ++q) {
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
    KE_TRY(const bool judged, judge_hidden_time());
    if (!judged) return false;
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
      KE_TRY(GpuSample one, bench_.call(arm, *plan_.workload, pool_->fresh(), rules_));
      if (one.finding) {
        (arm == 0 ? result_.challenger : result_.opponent) = std::move(one.finding);
        return false;
      }
      quad.event_ns[at] += one.event_ns;
      quad.host_ns[at] += one.host_ns;
      hidden_.add(arm, one.event_ns, one.host_ns);
    }
    quad.event_ns[at] = std::max<std::int64_t>(quad.event_ns[at] / calls, 1);
    quad.host_ns[at] /= calls;
    return true;
  }

  // A suspicion is one only if it holds for further calls, which no figure is made of.
  Result<bool> judge_hidden_time() {
    if (!hidden_.suspected()) return true;
    hidden_ = {};
    for (int q = 0; q < quads_of_a_suspect; ++q) {
      GpuQuad spare;
      KE_TRY(const bool taken, take(spare));
      if (!taken) return false;
    }
    if (!hidden_.suspected()) return true;
    result_.challenger =
        Finding{Verdict::suspicious, "time_outside_events",
                "calls take longer on the judge's clock than their events on the device say"};
    return false;
  }

  GpuBench& bench_;
  const TimedWorkload& plan_;
  CallRules rules_;
  PairResult& result_;
  ContentPool* pool_ = nullptr;
  Cluster cluster_;
  HiddenTime hidden_;
};

}  // namespace

int calls_of_sample(double call_ns, std::int64_t sample_ns) {
  const double wanted = std::ceil(static_cast<double>(sample_ns) / std::max(call_ns, 1.0));
  return static_cast<int>(std::clamp(wanted, 1.0, 8.0));
}

Result<PairResult> measure_gpu_pair(GpuBench& bench, const GpuBuiltPtr& challenger,
                                    const GpuBuiltPtr& opponent,
                                    const std::vector<TimedWorkload>& plan,
                                    const CallRules& rules) {
  PairResult result;
  KE_TRY(result.challenger, bench.load(0, challenger, true));
  KE_TRY(result.opponent, bench.load(1, opponent, true));
  if (result.challenger || result.opponent) return result;
  for (const TimedWorkload& timed : plan) {
    KE_TRY(const bool good, GpuBlock(bench, timed, rules, result).run());
    if (!good) break;
  }
  return result;
}

}  // namespace ke::gpu
