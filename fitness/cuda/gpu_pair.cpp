#include "fitness/cuda/gpu_pair.hpp"

#include <algorithm>
#include <cmath>

#include "fitness/cuda/gpu_quad.hpp"
#include "fitness/timing/robust.hpp"

namespace ke::cuda {
namespace {

// Between two arms that hide nothing, lower quartiles of 14 calls differ by some 50 us on an H200:
// switching between the contexts of judge and worker takes about 200.
constexpr double overhead_slack_ns = 200'000;
constexpr double overhead_share = 0.25;

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
        result_.noise.emplace_back(throttled_noise);
        return false;
      }
      keep(quad);
    }
    judge_overheads();
    result_.clusters.push_back(std::move(cluster_));
    result_.noise.push_back(std::nullopt);
    return !result_.challenger.has_value();
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
      overhead_[arm].push_back(static_cast<double>(one.host_ns - one.event_ns));
      event_[arm].push_back(static_cast<double>(one.event_ns));
    }
    quad.event_ns[at] = std::max<std::int64_t>(quad.event_ns[at] / calls, 1);
    quad.host_ns[at] /= calls;
    return true;
  }

  static double lower_quartile(std::vector<double> values) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  // Work that the events do not see would show in the judge's own clock, in this arm alone.
  void judge_overheads() {
    const double own = lower_quartile(overhead_[0]), other = lower_quartile(overhead_[1]);
    if (own - other < overhead_slack_ns + overhead_share * median_of(event_[0])) return;
    result_.challenger =
        Finding{Verdict::suspicious, "time_outside_events",
                "calls take longer on the judge's clock than their events on the device say"};
  }

  GpuBench& bench_;
  const TimedWorkload& plan_;
  CallRules rules_;
  PairResult& result_;
  ContentPool* pool_ = nullptr;
  Cluster cluster_;
  std::vector<double> overhead_[2], event_[2];
};

}  // namespace

int calls_of_sample(double call_ns, std::int64_t sample_ns) {
  const double wanted = std::ceil(static_cast<double>(sample_ns) / std::max(call_ns, 1.0));
  return static_cast<int>(std::clamp(wanted, 1.0, 8.0));
}

Result<PairResult> measure_gpu_pair(GpuBench& bench, const CudaBuiltPtr& challenger,
                                    const CudaBuiltPtr& opponent,
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

}  // namespace ke::cuda
