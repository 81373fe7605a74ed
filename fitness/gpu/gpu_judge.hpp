#pragma once
// Answers screen, duel and verify jobs on a GPU. Lives on the lane's thread.

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "fitness/gpu/gpu_bench.hpp"
#include "fitness/judging/judge.hpp"

namespace ke::gpu {

/// The constants of the protocol. A cluster is one pair of freshly loaded modules.
struct GpuRules : JudgingRules {
  GpuRules() {
    duel.prior = {.spread = 0.004, .degrees = default_prior_degrees};
    duel_quads = 6;
    verify_clusters = 6;
    verify_ns = 6'000'000'000;
  }
  std::int64_t sample_ns = 50'000;    ///< minimum time of all calls of one sample
  std::int64_t call_limit_ms = 1000;  ///< in addition to 20 times the opponent's time
  bool cold = true;
};

using GpuArms = JobArms<GpuBuilt>;

class GpuJudge final : public TimedDevice {
 public:
  /// All arguments are borrowed. `closing` ends long jobs early.
  GpuJudge(GpuBench& bench, const GpuRules& rules, const std::atomic<bool>& closing)
      : bench_(bench), rules_(rules), closing_(closing) {}

  /// Fills verdict, comparison, feedback and cost of a fact whose candidate is built.
  Result<void> run(const Job& job, const GpuArms& arms, Fact& fact);
  /// Bytes read and written per ns by a copy of 1 GiB; measured on first use.
  Result<double> copy_rate();

  const Task& task() const override { return bench_.task; }
  void renew_process() override { bench_.drop(0); }
  Result<CheckReport> check(Thoroughness thoroughness) override;
  Result<std::optional<Finding>> call(int arm, const WrongCall& wrong) override;
  Result<FreshContent> content(const Workload& workload) override;
  Result<double> opponent_ns(const Workload& workload) override;
  Result<SamplePlan> plan(const std::vector<const Workload*>& on) override;
  Result<PairResult> pair(const std::vector<TimedWorkload>& plan) override;
  Result<MemoryRate> memory_rate() override;
  SecretRandom& random() override { return bench_.contents.random(); }

 private:
  /// The contents for a check of a small workload, including new draws.
  Result<std::vector<FreshContent>> contents_of(const Workload& workload, bool full);
  Result<ContentPool*> plain(const Workload& workload);
  /// Makes one call of a check. False when something is wrong.
  Result<bool> is_right(const Workload& workload, const FreshContent& content, bool cold,
                        CheckReport& report);
  /// Checks the only shape of a task on every class of inputs, or on one of them.
  Result<bool> check_only_shape(const Workload& workload, bool full, CheckReport& report);
  Result<bool> check_unlisted(Thoroughness thoroughness, CheckReport& report);
  /// Checks every class of inputs at shapes that keep one length of a large workload and shorten
  /// the others (slim_workloads), since large shapes get one or two contents of one class.
  Result<bool> check_slim(CheckReport& report);
  Result<bool> check_small(const Workload& workload, bool full, CheckReport& report);
  Result<std::optional<Finding>> time_call(int arm, const Workload& workload, double opponent_ns,
                                           double& best);
  CallRules call_rules() const { return {rules_.cold, rules_.call_limit_ms}; }

  GpuBench& bench_;
  GpuRules rules_;
  const std::atomic<bool>& closing_;
  double copy_rate_ = 0;  ///< bytes per ns
  // State of the current job:
  const Job* job_ = nullptr;
  GpuArms arms_;
};

}  // namespace ke::gpu
