#pragma once
// Takes one job from its check to its feedback: the part of the protocol that is the same for
// devices that time and devices that count.

#include <functional>
#include <optional>
#include <vector>

#include "core/evaluation.hpp"
#include "core/job.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/judging/judged_device.hpp"

namespace ke {

/// A job whose builds are done. All references are borrowed.
struct JudgedJob {
  template <class Built>
  JudgedJob(const Job& of, const JobArms<Built>& arms, Fact& filled)
      : job(of), candidate(*arms.candidate), opponent(arms.opponent.get()), fact(filled) {}

  const Job& job;
  const BuildOutcome& candidate;
  const BuildOutcome* opponent;  ///< null where nothing is compared
  Fact& fact;                    ///< receives verdict, comparison, feedback and cost
};

class Judgement {
 public:
  /// Measures both arms at these workloads and fills the fact's comparison and verdict.
  using Compare = std::function<Result<void>(const std::vector<const Workload*>& on)>;

  /// All arguments are borrowed.
  Judgement(JudgedDevice& device, const JudgedJob& judged)
      : device_(device), job_(judged.job), judged_(judged), fact_(judged.fact) {}

  Result<void> run(const Compare& compare);
  /// False when a finding about an arm decides the fact.
  bool passes(const ArmFindings& findings);
  /// Records that floating-point modes and early stops of some calls could not be observed.
  void flag_unchecked(bool unchecked);

 private:
  Result<void> judge(const Compare& compare);
  Result<void> probe();
  Result<void> check();
  Result<bool> is_the_kernels_fault(Finding& finding, const WrongCall& wrong);
  Result<bool> is_too_hard(const WrongCall& wrong);
  void refuse(const Finding& finding);
  std::string feedback() const;

  JudgedDevice& device_;
  const Job& job_;
  const JudgedJob& judged_;
  Fact& fact_;
  CheckReport report_;
  std::optional<Finding> finding_;
};

}  // namespace ke
