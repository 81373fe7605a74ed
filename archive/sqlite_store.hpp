#pragma once
// The store of a run in one SQLite file: history, facts, knowledge, provenance.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "archive/axis.hpp"
#include "archive/device_record.hpp"
#include "archive/roofline.hpp"
#include "archive/session.hpp"
#include "core/evaluator.hpp"
#include "core/fact_log.hpp"
#include "core/history.hpp"
#include "core/knowledge_index.hpp"
#include "core/numeric/numeric_archive.hpp"
#include "core/result.hpp"

namespace ke {

struct StoreOptions {
  /// Each commit survives a power loss. False (simulated runs): survives only a killed process.
  bool full_sync = true;
  /// Facts and steps that follow the last transaction by less than this share one transaction, so a
  /// killed process loses only those, and never part of one. 0: one transaction each. Exchanges,
  /// the stop and figures are never delayed. For simulated runs, whose facts are free to recompute.
  std::chrono::milliseconds group{0};
  /// Maximum file size in bytes; 0 = limited by the disk.
  std::int64_t max_bytes = 0;
  /// Milliseconds since 1970, UTC, only for provenance; the system clock when empty.
  std::function<std::int64_t()> now_ms = {};
};

/// Owns the file and is its only writer; never blocks the file's readers. Single-threaded.
///
/// Errors are Failure::store and one line: folder missing, not writable or on a network file
/// system; second writer (refused at once); not a database; another program's database; older or
/// newer schema; corrupt; disk full; a step that refers to something never committed. A failed
/// transaction writes nothing: the file keeps its number of steps, and later ones can be committed
/// again.
class SqliteStore {
 public:
  /// Opens the run file or creates it.
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path,
                                                   StoreOptions options = {});
  ~SqliteStore();
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  History& history();
  FactLog& facts();

  /// Later writes belong to this session.
  Result<void> begin_session(const SessionInfo& info);
  /// Does nothing if no session has begun.
  Result<void> end_session(std::int64_t stopped_ms, std::int64_t exit_code);
  /// Stores the evaluator, so that a replay can compute the jobs' keys on any machine.
  Result<void> describe_evaluator(const EvaluatorInfo& info);
  /// Stores name, task and evaluator of each device of a run with several devices.
  Result<void> describe_devices(const std::vector<DeviceRecord>& devices);
  /// Stores what the cells of archive "island" or "passive" mean; readers derive coverage from it.
  Result<void> describe_archive(const std::string& archive, const std::vector<AxisShape>& axes);
  /// Stores the workloads' costs per call and the speed of the current session's device.
  Result<void> describe_roofline(const std::vector<WorkloadCost>& costs,
                                 const std::vector<Ceiling>& ceilings);
  /// Stores what the task says of itself: source, licence, category and the like.
  Result<void> describe_task(const std::map<std::string, std::string>& labels);
  /// Stores options outside the run's identity, by path, in place of those stored before.
  Result<void> keep_options(const std::map<std::string, std::string>& options);
  /// Stores a lesson that prompts of the run may be told, in place of one with the same id.
  Result<void> add_lesson(const Passage& lesson);
  /// Stores a numeric search's result archive. Call before the stop, which contains its digest.
  Result<void> put_numeric_elites(const NumericArchive& archive);

 private:
  struct State;
  explicit SqliteStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ke
