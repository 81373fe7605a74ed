#pragma once
// Answers screen, duel and verify jobs on a GPU. Lives on the lane's thread.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/job.hpp"
#include "fitness/cuda/gpu_bench.hpp"
#include "fitness/judging/tally.hpp"
#include "fitness/timing/duel_rule.hpp"
#include "fitness/timing/screen_rule.hpp"

namespace ke::cuda {

/// The constants of the protocol. A cluster is one pair of freshly loaded modules.
struct GpuRules {
  DuelRule duel{.prior = {.spread = 0.004, .degrees = default_prior_degrees}};
  ScreenRule screen;
  int duel_quads = 6;  ///< kept quads of a cluster, over all its workloads
  int verify_clusters = 6;
  std::int64_t sample_ns = 50'000;       ///< calls of one sample add up to this
  std::int64_t duel_ns = 6'000'000'000;  ///< a duel that takes longer stays undecided
  std::int64_t verify_ns = 6'000'000'000;
  std::int64_t call_limit_ms = 1000;  ///< beside 20 times the opponent's
  double floor_share = 0.9;
  bool cold = true;
};

using GpuArms = JobArms<CudaBuilt>;

class GpuJudge {
 public:
  /// All borrowed. `closing` ends long jobs early.
  GpuJudge(GpuBench& bench, const GpuRules& rules, const std::atomic<bool>& closing)
      : bench_(bench), rules_(rules), closing_(closing) {}

  /// Fills verdict, comparison, feedback and cost of a fact whose candidate was built.
  Result<void> run(const Job& job, const GpuArms& arms, Fact& fact);
  /// Bytes read and written per ns by a copy of 1 GiB; measured when first asked.
  Result<double> copy_rate();

 private:
  struct Check {
    std::optional<Finding> finding;
    double margin = 0;
  };
  Result<Check> check(const Job& job, const GpuArms& arms);
  /// What a small workload is called with, new draws among it.
  Result<std::vector<FreshContent>> contents_of(const Workload& workload, bool full);
  Result<ContentPool*> plain(const Workload& workload);
  Result<void> check_small(const Workload& workload, bool full, Check& report);
  Result<bool> cluster(const GpuArms& arms, const std::vector<TimedWorkload>& plan, Tally& tally,
                       Fact& fact);
  Result<std::vector<TimedWorkload>> plan(const Job& job, const GpuArms& arms, Fact& fact);
  Result<void> compare(const Job& job, const GpuArms& arms, Fact& fact);
  Result<void> duel(const GpuArms& arms, const std::vector<TimedWorkload>& timed, Tally& tally,
                    Fact& fact);
  Result<bool> plausible(const GpuArms& arms, std::vector<TimedWorkload> timed, Fact& fact);
  Result<void> conclude(const Tally& tally, Fact& fact);
  CallRules call_rules() const { return {rules_.cold, rules_.call_limit_ms}; }

  GpuBench& bench_;
  GpuRules rules_;
  const std::atomic<bool>& closing_;
  double copy_rate_ = 0;  ///< bytes per ns
};

}  // namespace ke::cuda
