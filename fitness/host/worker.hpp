#pragma once
// The judge's handle of one worker process: a candidate loaded behind the walls, stopped whenever
// it does not run a round.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/host/shared_memory.hpp"
#include "fitness/host/watchdog.hpp"
#include "fitness/host/wire.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/sandbox/process.hpp"

namespace ke {

/// Where tensors lie in the two memory files and in the worker's address sets.
struct AddressPlan {
  std::vector<wire::Mapping> mappings;
  std::size_t address_bytes = 0;  ///< of one set, guards included
  std::size_t sets = 1;
  std::size_t max_calls = 1;  ///< of one round
};

/// A worker that is another program than kernelevolve-worker: trusted, never locked in.
struct WorkerProgram {
  std::vector<std::string> argv;
  std::vector<std::string> readable;
  std::string working_dir;  ///< which it may write
};

/// What a worker needs to start.
struct WorkerSpec {
  std::string tools_dir;  ///< folder of kernelevolve-worker and kernelevolve-sandbox
  std::string library;    ///< the candidate, an absolute path
  std::string scratch = "/tmp";
  SandboxLevel level = SandboxLevel::namespaces;
  int threads = 1;
  bool lock = true;  ///< false for trusted code that opens files at its first call
  std::vector<std::string> readable = {};  ///< files that it may open then, beside the system's
  const AddressPlan* plan = nullptr;
  int input_fd = -1;
  int output_fd = -1;
  std::int64_t load_limit_ns = 2'000'000'000;
  /// The library is an OpenCL program, of which these launches are prepared; null: a function.
  const std::vector<wire::Launch>* launches = nullptr;
  const WorkerProgram* program = nullptr;  ///< in place of a worker that loads `library`
};

/// How a round ended.
struct Round {
  enum class End { stopped, exited, signalled, timed_out };
  End end = End::stopped;
  int code = 0;              ///< exit status or signal number
  std::int64_t span_ns = 0;  ///< from before the continue to the stop seen
  std::int64_t cpu_ns = 0;   ///< the worker's CPU clock over the round
  /// Sum over threads: ready to run, while something else ran. Only known of several threads.
  std::int64_t waited_ns = 0;
};

/// What the judge sees of a stopped worker.
struct Inspection {
  bool registers_read = false;  ///< false: tracing is not allowed here, the next two are unknown
  bool at_stop_site = true;     ///< it stopped where an honest worker does
  bool float_control = true;    ///< rounding, exception masks, flushing stand at their defaults
  int threads = 1;
};

class Worker {
 public:
  Worker() = default;
  /// Spawns the process; it stands before loading. Errors are the world's: no sandbox, no memory.
  static Result<Worker> start(const WorkerSpec& spec, Watchdog& watchdog);
  Worker(Worker&&) = default;
  Worker& operator=(Worker&&) = default;

  /// Loads the candidate, maps the tensors and locks the process in. Anything but `stopped` is the
  /// candidate's doing.
  Round load();
  /// Runs one round of calls (none: an empty round) with `limit_ns` for all of it. `launches`: what
  /// each call is, of an OpenCL program.
  Round run(const std::vector<wire::Call>& calls, const std::vector<wire::Launch>& launches,
            std::int64_t limit_ns);
  /// Runs one call of the candidate's `prepare`, which must have one.
  Round prepare(const wire::Call& call, std::int64_t limit_ns);
  /// Lets a baseline in Python copy the results of its last round to the outputs.
  Round deliver(std::int64_t limit_ns);
  /// Looks at registers and threads of the stopped worker. About 15 us.
  Inspection inspect();
  pid_t pid() const { return process_.pid(); }

 private:
  Round resume(std::int64_t limit_ns);
  void send(const std::vector<wire::Order>& orders);
  Round wait_for_stop();

  std::unique_ptr<JobFolder> folder_;  ///< that an OpenCL program is unpacked in
  SandboxedProcess process_;
  SharedMemory control_;
  Fd orders_read_, orders_write_;  ///< both, so that an ended worker breaks no pipe
  Watchdog* watchdog_ = nullptr;
  int threads_ = 1;
  std::int64_t load_limit_ns_ = 0;
  clockid_t cpu_clock_ = 0;
  std::size_t max_calls_ = 0;
  std::uint64_t stop_address_ = 0;
  std::uint64_t stop_stack_ = 0;
};

}  // namespace ke
