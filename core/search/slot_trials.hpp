#pragma once
// Trials of one slot: what its operator learns of kernels before it gives one.

#include <functional>
#include <set>
#include <vector>

#include "core/search/dispatcher.hpp"
#include "core/search/job_maker.hpp"
#include "core/search/plan.hpp"

namespace ke {

/// Builds the kernel of a trial, then judges it as the trial's kind says. Its jobs have the keys
/// that a candidate's have, so that the kernel that was timed last is not measured again.
class SlotTrials {
 public:
  using Then = std::function<Result<void>(const TrialFacts&)>;
  /// Both must outlive this object, and this object all that it is waiting for.
  SlotTrials(const JobMaker& jobs, Dispatcher& dispatcher) : jobs_(jobs), dispatcher_(dispatcher) {}

  Result<void> run(HashedKernel kernel, TrialKind kind, Then then);
  /// Of all jobs so far, in the order in which they were asked for.
  const std::vector<Digest>& fact_keys() const { return fact_keys_; }
  /// Distinct binaries whose screen was judged, `own` aside: each spent an evaluation.
  std::int64_t spent(const Digest& own) const;

 private:
  struct Open {
    Kernel kernel;
    TrialKind kind;
    TrialFacts facts;
    Then then;
    std::int64_t look = 0;
  };
  Result<void> submit(Job job, Dispatcher::OnFact then);
  Result<void> on_build(Open open);
  Result<void> judge(Open open);
  Result<void> on_judged(Open open);
  Job job_of(const Open& open) const;

  const JobMaker& jobs_;
  Dispatcher& dispatcher_;
  std::vector<Digest> fact_keys_;
  std::set<Digest> timed_;
};

}  // namespace ke
