#pragma once
// One worker at one device of one run.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/patient_evaluator.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/queue/lease_keeper.hpp"
#include "experiments/run/queue/work_loop.hpp"

namespace ke {

class WorkSession {
 public:
  /// Starts the evaluator that the run names and registers it. Error when this host cannot, or when
  /// it is refused.
  static Result<std::unique_ptr<WorkSession>> begin(const WorkOptions& options,
                                                    const OpenWork& work, WorkBoard& board,
                                                    const StopSignals& signals, Console& console);
  ~WorkSession();

  /// Hands in what is finished and takes jobs up to the lanes of the evaluator; waits a moment when
  /// there is nothing to do. Error: the evaluator says that it is of no use any more.
  Result<void> step();
  /// Gives back what it holds.
  Result<void> end(const std::string& reason);
  bool idle() const { return held_.empty(); }
  bool run_is_open() const { return keeper_->workers() > 0; }
  std::int64_t answered() const { return answered_; }

 private:
  using Clock = std::chrono::steady_clock;
  WorkSession(OpenWork work, WorkBoard& board, std::string folder);
  Result<void> start(const WorkOptions& options, const StopSignals& signals, Console& console);
  Result<void> claim();
  Result<void> take(const Lease& lease);
  Result<void> hand_in(const Fact& fact);

  const OpenWork work_;
  WorkBoard& board_;
  std::string folder_;  ///< of the task's files, gone at the end
  StartedEvaluator started_;
  std::optional<PatientEvaluator> evaluator_;
  std::vector<std::string> capabilities_;
  std::size_t most_held_ = 1;
  std::int64_t worker_ = 0;
  std::unique_ptr<WorkQueue> queue_;
  std::unique_ptr<LeaseKeeper> keeper_;
  std::map<Digest, std::int64_t> held_;  ///< key of a job -> its lease
  Clock::time_point next_claim_;
  std::int64_t answered_ = 0;
  std::int64_t idle_turns_ = 0;
};

}  // namespace ke
