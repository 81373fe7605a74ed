#pragma once
// The coordinator's side of a search whose kernels are measured by workers of other hosts.

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "archive/shared_run.hpp"
#include "archive/sqlite_store.hpp"
#include "core/mirrored.hpp"
#include "core/queue_evaluator.hpp"
#include "experiments/run/console.hpp"
#include "experiments/run/run_one.hpp"

namespace ke {

class SharedSearch {
 public:
  /// Opens the run in the database under the name of its file, and publishes it for workers.
  static Result<std::unique_ptr<SharedSearch>> open(const RunRequest& request, SqliteStore& store,
                                                    const StopSignals& signals, Console& console);

  /// Waits until each device has a worker. False if a stop was requested before.
  Result<bool> find_workers();
  /// The evaluator that workers serve. Call it after find_workers().
  Evaluator& evaluator() { return *evaluator_; }
  History& history() { return history_; }
  FactLog& facts() { return facts_; }

 private:
  using Clock = std::chrono::steady_clock;
  SharedSearch(std::unique_ptr<SharedRun> run, SqliteStore& store, const RunRequest& request,
               const StopSignals& signals, Console& console);
  void wait(std::chrono::milliseconds time);
  void complain_without_workers();
  void tell(const std::string& line) const;

  std::unique_ptr<SharedRun> run_;
  const RunRequest& request_;
  const StopSignals& signals_;
  Console& console_;
  MirroredHistory history_;
  MirroredFactLog facts_;
  std::optional<QueueEvaluator> evaluator_;
  Clock::time_point next_look_;  ///< when to look for dead workers next
  bool complained_ = false;
};

/// The address: `given`, or the value of KERNELEVOLVE_QUEUE_URL if it is `env`. Error if that is
/// not set.
Result<std::string> queue_url(const std::string& given, const Console& console);

}  // namespace ke
