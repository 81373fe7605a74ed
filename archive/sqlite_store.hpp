#pragma once
// The store of a run in one SQLite file: history, facts, knowledge, provenance.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/axis_shape.hpp"
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
  /// Each commit survives a loss of power. False (simulated runs): survives only a killed process.
  bool full_sync = true;
  /// Facts and steps that follow the last transaction by less share one, so that a killed process
  /// loses at most those, never a part of one. 0: each is its own. Exchanges, the stop and figures
  /// never wait. For simulated runs, whose facts cost nothing to ask again.
  std::chrono::milliseconds group{0};
  /// Size in bytes at which the file counts as full; 0 = only the disk decides.
  std::int64_t max_bytes = 0;
  /// Milliseconds since 1970, UTC, for provenance alone; the system's clock when empty.
  std::function<std::int64_t()> now_ms = {};
};

/// Owns the file and is its one writer; the file's readers are never blocked. One thread.
///
/// Errors are Failure::store and one line: folder missing, not writable or on a network file
/// system; second writer (refused at once); no database; another program's; older or newer schema;
/// corrupt; disk full; a step that refers to what was never committed. Nothing of a failed
/// transaction is written: the file says how many steps it holds, and those after can be committed
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
  KnowledgeIndex& knowledge();

  /// What is written from now on belongs to this session.
  Result<void> begin_session(const SessionInfo& info);
  /// Without a session that was begun: nothing to do.
  Result<void> end_session(std::int64_t stopped_ms, std::int64_t exit_code);
  /// What answers the run's jobs, so that a replay can make their keys anywhere.
  Result<void> describe_evaluator(const EvaluatorInfo& info);
  /// The same for each device of a run that has several.
  Result<void> describe_devices(const std::vector<DeviceRecord>& devices);
  /// What the cells of the archive "island" or "passive" mean; readers compute coverage from it.
  Result<void> describe_archive(const std::string& archive, const std::vector<AxisShape>& axes);
  /// What calls on the workloads need, and how fast the device of the session that was begun is.
  Result<void> describe_roofline(const std::vector<WorkloadCost>& costs,
                                 const std::vector<Ceiling>& ceilings);
  /// The result archive of a numeric search, before its stop, which names its digest.
  Result<void> put_numeric_elites(const NumericArchive& archive);

 private:
  struct State;
  explicit SqliteStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ke
