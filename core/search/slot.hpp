#pragma once
// One slot in flight: proposal, operator, build, screen. The commit decides on the result.

#include <functional>
#include <memory>
#include <set>
#include <unordered_set>
#include <vector>

#include "core/operator.hpp"
#include "core/search/dispatcher.hpp"
#include "core/search/job_maker.hpp"
#include "core/search/plan.hpp"

namespace ke {

/// Genomes that a run has proposed, so that operators do not propose them again.
class SeenGenomes final : public GenomeSet {
 public:
  bool contains(const Digest& genome) const override { return seen_.contains(genome); }
  void propose(const Digest& genome) { seen_.insert(genome); }
  /// Forgets a genome that was not judged (lost, timed out), so that it can be tried again.
  void forget(const Digest& genome) { seen_.erase(genome); }

 private:
  std::unordered_set<Digest> seen_;
};

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

/// Drives one candidate from proposal to a complete evaluation, without blocking.
class Slot {
 public:
  struct Parts {
    const SearchPlan& plan;
    const IslandPlan& island;
    const JobMaker& jobs;
    Dispatcher& dispatcher;
    SeenGenomes& seen;
    const std::vector<CandidatePtr>& judged;
  };

  /// `first`: the started slot whose prompt this one sends to its model again; null = its own
  /// prompt. It outlives this slot.
  Slot(Parts parts, LogicalId id, Proposal proposal, const Slot* first);
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  /// Trials of kind `time` that the operator may request, before the budget is applied.
  std::int64_t wanted_trials() const;
  /// Sets how many of them the budget allows. Call before `start`.
  void admit(std::int64_t timed_trials) { admitted_ = timed_trials; }
  std::int64_t admitted_trials() const { return admitted_; }
  /// Evaluations spent by its trials, without that of its candidate `own`. Only when ready().
  std::int64_t trials_spent(const Candidate& own) const {
    return trials_.spent(own.evaluation.build_hash);
  }
  /// Runs the operator and sends the first job or request.
  Result<void> start();
  bool ready() const { return ready_ && !editing_; }
  /// Whether it waits for an answer that the budget of the language model does not pay for.
  bool is_unpaid() const;
  /// The finished candidate. Only when ready().
  std::shared_ptr<Candidate> take() { return std::move(candidate_); }
  /// Keys of the facts it used: exchanges, build and screen first, then trials.
  std::vector<Digest> fact_keys() const;
  const std::vector<Parent>& parents() const { return proposal_.parents; }
  const ModelUse& use() const { return use_; }
  bool is_repeat() const { return first_ != nullptr; }
  /// The answer to its request for an edit of a hint; empty if there was none. Only when ready().
  const HintEdit& hint_edit() const { return hint_edit_; }

 private:
  Result<void> take_ready(Kernel kernel);
  Result<void> handle(Outcome outcome);
  Result<void> ask_model(Request asking);
  Result<void> send(LlmRequest request, Dispatcher::OnExchange then);
  void draw_hint(RandomStream& random);
  Result<void> ask_edit(const std::string& model);
  Result<void> try_out(Trial trial);
  void draw_model(LlmRequest& request);
  void add_settings(LlmRequest& request) const;
  Result<void> build(HashedKernel made);
  Result<void> on_build(const Fact& fact);
  Result<void> screen(std::int64_t look);
  Result<void> on_screen(const Fact& fact, std::int64_t look);
  void finish(const Fact& fact);
  void no_child(NoChild why);
  Context context() const;
  void add_own_parents(const Context& at_ask);
  const Operator& op() const;
  const DevicePlan& device() const { return parts_.plan.devices[parts_.island.device]; }

  Parts parts_;
  LogicalId id_;
  const Slot* first_;
  Proposal proposal_;
  RandomStream random_;
  std::shared_ptr<Candidate> candidate_;
  std::vector<Digest> fact_keys_;
  std::int64_t exchanges_ = 0;
  std::int64_t letters_ = 0;  ///< exchanges of the operator
  SlotTrials trials_;
  std::int64_t admitted_ = 0;      ///< trials of kind `time`
  std::size_t judged_at_ask_ = 0;  ///< number of the island's judged candidates at that time
  std::vector<Elite> elites_at_ask_;
  ModelUse use_;
  std::optional<Hint> hint_;
  HintEdit hint_edit_;
  bool editing_ = false;  ///< the answer to the request for an edit is missing
  bool ready_ = false;
};

}  // namespace ke
