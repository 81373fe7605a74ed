#pragma once
// Answers screen, duel and verify jobs. Lives on the lane's thread.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/job.hpp"
#include "fitness/cpu/bandwidth.hpp"
#include "fitness/cpu/bench.hpp"
#include "fitness/cpu/builder.hpp"
#include "fitness/cpu/check.hpp"
#include "fitness/cpu/libraries.hpp"
#include "fitness/cpu/pair.hpp"
#include "fitness/judging/tally.hpp"
#include "fitness/timing/duel_rule.hpp"
#include "fitness/timing/screen_rule.hpp"

namespace ke {

/// The constants of the protocol, options of the evaluator.
struct JudgeRules {
  DuelRule duel{.prior = {.spread = 0.006, .degrees = default_prior_degrees}};
  ScreenRule screen;
  int duel_quads = 12;                    ///< kept quads of a cluster, over all its workloads
  std::int64_t screen_ns = 40'000'000;    ///< calls of one screen, as a goal
  std::int64_t cluster_ns = 150'000'000;  ///< calls of one cluster of a duel, as a goal
  int verify_clusters = 8;
  std::int64_t verify_ns = 4'000'000'000;    ///< time for one opponent, as a goal
  std::int64_t duel_ns = 6'000'000'000;      ///< a duel that takes longer stays undecided
  std::int64_t patience_ns = 6'000'000'000;  ///< for a quiet moment, of a screen or duel
  double floor_share = 0.9;
};

/// Padding of the library that is checked, not timed.
inline constexpr std::uint64_t check_padding = 0;

using CpuArms = JobArms<Built>;

class Judge {
 public:
  /// All borrowed. `closing` ends long jobs early.
  Judge(const Bench& bench, Libraries& libraries, const JudgeRules& rules,
        const std::atomic<bool>& closing);

  /// Fills verdict, comparison, feedback and cost of a fact whose candidate was built.
  Result<void> run(const Job& job, const CpuArms& arms, Fact& fact);

 private:
  using CallTimes = std::map<std::string, double>;

  Result<void> screen(const Job& job, const CpuArms& arms, Fact& fact);
  Result<void> duel(const Job& job, const CpuArms& arms, Fact& fact);
  Result<void> verify(const Job& job, const CpuArms& arms, Fact& fact);
  Result<bool> check(const Job& job, const CpuArms& arms, Fact& fact, CheckReport& report);
  Result<bool> too_hard(const Job& job, const CpuArms& arms, const WrongCall& wrong);
  Result<bool> first_cluster(const Job& job, const CpuArms& arms, std::vector<TimedWorkload>& plan,
                             Tally& tally, Fact& fact);
  Result<bool> cluster(const CpuArms& arms, const std::vector<TimedWorkload>& plan, Tally& tally,
                       Fact& fact);
  Result<bool> pair(const CpuArms& arms, const std::vector<TimedWorkload>& plan, Tally& tally,
                    Fact& fact);
  Result<Library> library(const BuiltPtr& built, std::uint64_t padding);
  Result<std::vector<TimedWorkload>> plan(const Job& job, const CpuArms& arms);
  int quads_for(const Job& job, const TimedWorkload& timed, const double (&call_ns)[2],
                std::size_t bytes, std::size_t workloads) const;
  Result<const CallTimes*> call_times(const BuiltPtr& built,
                                      const std::vector<const Workload*>& on);
  void draw_paddings(const CpuArms& arms);
  void learn_times(const CpuArms& arms, const std::vector<TimedWorkload>& plan,
                   const PairResult& result);
  void conclude(const Tally& tally, Fact& fact);
  Result<bool> above_floors(const CpuArms& arms, const std::vector<TimedWorkload>& plan,
                            Fact& fact);
  double floor_ns(const Workload& workload);

  const Bench& bench_;
  Libraries& libraries_;
  JudgeRules rules_;
  const std::atomic<bool>& closing_;
  Bandwidth bandwidth_;
  std::map<Digest, CallTimes> call_ns_;  ///< by build hash
  std::uint64_t paddings_[2] = {0, 0};   ///< of the next pair, by arm
  std::int64_t patient_until_ns_ = 0;    ///< disturbed pairs of the job are taken again until then
};

}  // namespace ke
