#pragma once
// The judging protocol on this CPU. Lives on the lane's thread.

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitness/host/bandwidth.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/built.hpp"
#include "fitness/host/check.hpp"
#include "fitness/host/libraries.hpp"
#include "fitness/judging/judge.hpp"

namespace ke {

/// The constants of the protocol; options of the evaluator.
struct CpuRules : JudgingRules {
  CpuRules() { duel.prior = {.spread = 0.006, .degrees = default_prior_degrees}; }
  std::int64_t screen_ns = 40'000'000;    ///< target for the calls of one screen
  std::int64_t cluster_ns = 150'000'000;  ///< target for the calls of one cluster of a duel
};

/// Padding of the library for checks, which are not timed.
inline constexpr std::uint64_t check_padding = 0;

using CpuArms = JobArms<Built>;

class CpuJudge final : public TimedDevice {
 public:
  /// All arguments are borrowed. `closing` ends long jobs early.
  CpuJudge(const Bench& bench, Libraries& libraries, const CpuRules& rules,
           const std::atomic<bool>& closing)
      : bench_(bench), libraries_(libraries), rules_(rules), closing_(closing) {}

  /// Fills verdict, comparison, feedback and cost of a fact whose candidate is built.
  Result<void> run(const Job& job, const CpuArms& arms, Fact& fact);

  const Task& task() const override { return *bench_.task; }
  Result<CheckReport> check(Thoroughness thoroughness) override;
  Result<std::optional<Finding>> call(int arm, const WrongCall& wrong) override;
  Result<FreshContent> content(const Workload& workload) override;
  Result<SamplePlan> plan(const std::vector<const Workload*>& on) override;
  Result<PairResult> pair(const std::vector<TimedWorkload>& plan) override;
  Result<MemoryRate> memory_rate() override;
  SecretRandom& random() override { return bench_.contents->random(); }

 private:
  using CallTimes = std::map<std::string, double>;

  Result<Library> library(const BuiltPtr& built, std::uint64_t padding);
  int quads_for(const TimedWorkload& timed, const double (&call_ns)[2], std::size_t bytes,
                std::size_t workloads) const;
  Result<const CallTimes*> call_times(const BuiltPtr& built,
                                      const std::vector<const Workload*>& on);
  void draw_paddings();
  void learn_times(const std::vector<TimedWorkload>& plan, const PairResult& result);

  const Bench& bench_;
  Libraries& libraries_;
  CpuRules rules_;
  const std::atomic<bool>& closing_;
  Bandwidth bandwidth_;
  std::map<Digest, CallTimes> call_ns_;  ///< by build hash
  // State of the current job:
  JobKind kind_ = JobKind::screen;
  CpuArms arms_;
  std::optional<OpenCheck> wrong_check_;  ///< a check whose last call was wrong
  std::uint64_t paddings_[2] = {0, 0};    ///< for the next pair, by arm
};

}  // namespace ke
