#pragma once
// A run in a database that several hosts reach: the coordinator's access and the workers'.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/fact_log.hpp"
#include "core/history.hpp"
#include "core/work_queue.hpp"

namespace ke {

/// A connection that was there once is tried again without end, after pauses of up to 5 s.
struct DatabaseWait {
  /// The first connection too: many workers may start before the server can take all of them. A
  /// wrong password or certificate is an error at once.
  bool patient = false;
  /// Asked between two tries; true ends them with an error.
  std::function<bool()> stop = [] { return false; };
  /// Takes one line for people. The address is never part of it.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
};

/// Why this build cannot use a database; "" = it can.
std::string database_missing();

/// A file that the task of a device needs; `path` is relative and names no parent.
struct TaskFile {
  std::size_t device = 0;
  std::string path;
  std::string content;
};

/// A device that measures a part of the run.
struct SharedDevice {
  std::string kind;  ///< kind of evaluator
  /// path of the task, a folder or file, among the device's files; "" = the kind needs none
  std::string origin;
};

struct LeaseRules {
  WorkQueue::Time time{30'000};  ///< a worker that is silent for longer counts as dead
  int attempts = 5;              ///< see WorkQueue
};

/// The coordinator's access to a run in the database. While this object lives, no other coordinator
/// can open the run. Not thread-safe.
class SharedRun {
 public:
  virtual ~SharedRun() = default;
  virtual History& history() = 0;
  virtual FactLog& facts() = 0;
  virtual WorkQueue& queue() = 0;
  /// Publishes what workers need to serve the run.
  virtual Result<void> publish(const RunHeader& header, const LeaseRules& rules,
                               const std::vector<SharedDevice>& devices,
                               const std::vector<TaskFile>& files) = 0;
  /// The description of the evaluator that the first worker of a device gave; nothing before.
  virtual Result<std::optional<EvaluatorInfo>> evaluator(std::size_t device) = 0;
  /// Number of workers that serve the run and gave a sign of life within the time of a lease.
  virtual Result<std::int64_t> live_workers() = 0;
};

/// Creates the run of this name, or continues it. Creates the tables if there are none. Waits up to
/// `patience` for another coordinator to end.
Result<std::unique_ptr<SharedRun>> open_shared_run(const std::string& url, const std::string& name,
                                                   std::chrono::milliseconds patience,
                                                   const DatabaseWait& wait);

/// One device of a run that wants workers.
struct OpenWork {
  std::int64_t run = 0;
  std::string name;
  RunHeader header;
  LeaseRules rules;
  std::size_t device = 0;
  SharedDevice on;
  bool waiting = false;  ///< no worker registered yet, or a job can be claimed
};

/// A host and process that offers to measure.
struct WorkerInfo {
  std::string host;
  std::string host_class;
  std::int64_t pid = 0;
  EvaluatorInfo evaluator;
};

struct Registration {
  std::int64_t worker = 0;
  std::string refused;  ///< the reason; "" = registered
};

/// A worker's access to the database. Not thread-safe: each thread needs its own.
class WorkBoard {
 public:
  virtual ~WorkBoard() = default;
  /// Devices of all open runs: those that wait for workers first, then by age.
  virtual Result<std::vector<OpenWork>> open_work() = 0;
  virtual Result<std::vector<TaskFile>> task_files(const OpenWork& work) = 0;
  /// Registers a worker. The first one defines the evaluator of the run; later ones of another
  /// device class, toolchain or protocol are refused, because their facts would not be comparable.
  virtual Result<Registration> join(const OpenWork& work, const WorkerInfo& info) = 0;
  /// The queue of the run for this worker. Refers to this object.
  virtual std::unique_ptr<WorkQueue> queue(const OpenWork& work, std::int64_t worker) = 0;
  /// Records that the worker is alive. Returns how many workers serve the run; 0 when it has ended.
  virtual Result<std::int64_t> seen(const OpenWork& work, std::int64_t worker) = 0;
  virtual Result<void> leave(std::int64_t worker, const std::string& reason) = 0;
  virtual WorkQueue::Time now() const = 0;
  /// Waits until a job is added, at most this long. True if one was added since the last call.
  virtual bool wait(std::chrono::milliseconds time) = 0;
};

Result<std::unique_ptr<WorkBoard>> open_work_board(const std::string& url,
                                                   const DatabaseWait& wait);

}  // namespace ke
