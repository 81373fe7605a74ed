#pragma once
// The search loop: asks islands, drives slots, commits in logical order.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/recording_evaluator.hpp"
#include "core/search/budget.hpp"
#include "core/search/contest.hpp"
#include "core/search/dispatcher.hpp"
#include "core/search/job_maker.hpp"
#include "core/search/migration.hpp"
#include "core/search/observer.hpp"
#include "core/search/plan.hpp"
#include "core/search/slot.hpp"

namespace ke {

/// Dependencies of a search. All must outlive it.
struct SearchParts {
  Evaluator& evaluator;  ///< serves all devices of the plan
  FactLog& facts;
  History& history;
  SearchObserver& observer;
  const StopToken& stop;    ///< interrupts: the state is kept and the run can be resumed
  const StopToken& safety;  ///< wall-clock or other limits: ends the run early and marks it
  LlmClient* llm = nullptr;
  /// Stop with reason "waiting" as soon as only external answers can make progress: see
  /// open_letters().
  bool until_waiting = false;
  std::string_view safety_reason = "safety";  ///< reason of the stop when `safety` requests it
};

/// Runs a plan to its end. Deterministic given the facts: island step t is asked right after the
/// commit of step t - lag - 1 (if the budget admits it), commits follow (round, island, step). With
/// a schedule, the steps of all islands form one sequence of turns: with T = sum of (lag + 1), turn
/// t is asked and given to an island right after the commit of turn t - T; commits follow the
/// turns. Over a stored history the run replays it, compares hashes and continues after it.
class Search {
 public:
  Search(SearchPlan plan, SearchParts parts);
  ~Search();

  /// Errors: store failures, a replay that differs from the stored history, a replay miss.
  Result<StopRecord> run();
  const SearchPlan& plan() const { return plan_; }
  /// Number of points if run() ended because the space was exhausted; otherwise 0.
  std::size_t exhausted_points() const { return exhausted() ? points_->total() : 0; }
  /// Why the budget of the language model ended the run; "" if it did not.
  std::string shortage() const { return dispatcher_.shortage(); }

 private:
  /// One step in flight with its slots in order.
  struct Step {
    std::int64_t step;
    std::vector<std::unique_ptr<Slot>> slots;
  };
  /// Jobs of one device and the kernels seen there.
  struct Device {
    Device(JobMaker made, Dispatcher& dispatcher, const StopToken& stop)
        : jobs(std::move(made)), contest(jobs, dispatcher, stop) {}
    JobMaker jobs;
    Contest contest;
    SeenGenomes seen;
    std::unordered_map<Digest, CandidatePtr> by_genome;
    std::unordered_map<Digest, CandidatePtr> by_build;
  };
  /// Commit order of a step: (round, island, step); with a schedule, turns take the place of
  /// rounds.
  struct Order {
    std::int64_t turn;
    std::int64_t island;
    std::int64_t step;
    friend auto operator<=>(const Order&, const Order&) = default;
  };

  Result<void> ask_all();
  /// Whether goals and budgets admit another step.
  bool may_ask() const;
  Result<void> ask(std::size_t island);
  /// Next in the commit order of this island's steps.
  Order next_order(std::size_t island);
  /// In which migrants move. With a schedule, a round has as many turns as there are islands.
  std::int64_t round_of(const Order& order) const;
  Proposal propose(const Order& order, std::int64_t number);
  Context context_at(std::size_t island, const LogicalId& id);
  /// Stops drawing operators that ask a model.
  void stop_asking(std::size_t island);
  Device& device_of(std::size_t island) { return devices_[plan_.islands[island].device]; }
  bool asks_model(std::size_t island, const Proposal& proposal) const;
  std::int64_t repeats_of(std::size_t island, const Proposal& proposal) const;
  bool exhausted() const { return points_ && points_->none(); }
  /// The reason to ask no more, other than the budget: "" while there is none. "headroom": the best
  /// kernel needs hardly more time than memory allows.
  std::string_view goal() const;
  /// Waits until the step is complete; "" then, otherwise the reason to stop.
  Result<std::string> wait_for(const Step& step);
  std::string asked_to_stop() const;
  Result<bool> commit(const Order& order, const Step& step);
  void settle(Candidate& candidate);
  Result<bool> offer(std::size_t island, const std::shared_ptr<Candidate>& made, const Slot& slot,
                     StepRecord& record, std::vector<Digest>& facts);
  bool may_enter(std::size_t island, const Candidate& candidate) const;
  Result<bool> validate(std::size_t island, Candidate& made, std::vector<Digest>& facts);
  Result<bool> receive_migrants(const Order& order, StepRecord& record);
  void remember(const CandidatePtr& candidate);
  void tell(std::size_t island, const Commit& told);
  Result<void> store(StepRecord& record);
  void update_status(const StepRecord& record);
  Result<StopRecord> stop(std::string reason);
  Result<bool> finish_devices(StopRecord& record);

  SearchPlan plan_;
  SearchParts parts_;
  RecordingEvaluator evaluator_;
  Dispatcher dispatcher_;
  std::deque<Device> devices_;  ///< not a vector: contests refer to the jobs beside them
  Budget budget_;
  Migration migration_;
  SearchStatus status_;
  std::optional<PointsLeft> points_;  ///< nothing = cannot run out, or not asked for
  std::vector<std::vector<OperatorChoice>> choices_;  ///< per island
  std::vector<bool> learns_;             ///< per island: some operator reads judged candidates
  std::int64_t turns_ = 0;               ///< steps asked
  std::vector<std::int64_t> asked_;      ///< per island: steps asked
  std::vector<std::int64_t> committed_;  ///< per island: steps committed
  std::vector<std::vector<CandidatePtr>> judged_;  ///< per island, if it learns
  std::map<Order, Step> in_flight_;
  Digest hash_;
  std::int64_t stored_steps_ = 0;
  std::int64_t asks_ = 0;  ///< slots so far whose operator asks a model
  std::int64_t last_improvement_ = 0;
  double best_floor_share_ = 0;
};

}  // namespace ke
