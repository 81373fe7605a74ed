#pragma once
// Trials of one slot: tests of kernels that its operator requests before it submits one.

#include <functional>
#include <set>
#include <vector>

#include "core/search/dispatcher.hpp"
#include "core/search/job_maker.hpp"
#include "core/search/plan.hpp"

namespace ke {

/// Builds the kernel of a trial, then judges it by the trial's kind. Jobs have the same keys as a
/// candidate's, so that the kernel timed last is not measured again.
class SlotTrials {
 public:
  using Then = std::function<Result<void>(const TrialFacts&)>;
  /// Both must outlive this object, and it must outlive the jobs it waits for.
  SlotTrials(const JobMaker& jobs, Dispatcher& dispatcher) : jobs_(jobs), dispatcher_(dispatcher) {}

  Result<void> run(HashedKernel kernel, TrialKind kind, Then then);
  /// Keys of all jobs so far, in order of submission.
  const std::vector<Digest>& fact_keys() const { return fact_keys_; }
  /// Number of distinct binaries whose screen was judged, except `own`: each spent an evaluation.
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
