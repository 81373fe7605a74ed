#pragma once
// The judge's handle of one worker process: a sandboxed candidate, stopped whenever it does not run
// a round.

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/host/memory_pool.hpp"
#include "fitness/host/watchdog.hpp"
#include "fitness/host/wire.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/sandbox/process.hpp"

namespace ke {

/// The layout of tensors in the two memory files and in the worker's address sets.
struct AddressPlan {
  std::vector<wire::Mapping> mappings;
  std::size_t address_bytes = 0;  ///< size of one set, including guards
  std::size_t sets = 1;
  std::size_t max_calls = 1;  ///< per round
};

/// A worker that is another program than kernelevolve-worker: trusted, never locked in.
struct WorkerProgram {
  std::vector<std::string> argv;
  std::vector<std::string> readable;
  std::string working_dir;  ///< a folder that it may write
};

/// The parameters of a worker.
struct WorkerSpec {
  std::string tools_dir;  ///< folder of kernelevolve-worker and kernelevolve-sandbox
  std::string library;    ///< the candidate, an absolute path
  std::string scratch = "/tmp";
  SandboxLevel level = SandboxLevel::namespaces;
  int threads = 1;
  bool lock = true;  ///< false for trusted code that opens files at its first call
  /// files that the worker may open after it is locked in, beyond the system's
  std::vector<std::string> readable = {};
  const AddressPlan* plan = nullptr;
  int input_fd = -1;
  int output_fd = -1;
  std::int64_t load_limit_ns = 2'000'000'000;
  /// Null: the library is a function. Else it is an OpenCL program, and these launches are
  /// prepared.
  const std::vector<wire::Launch>* launches = nullptr;
  const WorkerProgram* program = nullptr;  ///< replaces the worker that loads `library`
};

/// The end of a round.
struct Round {
  enum class End { stopped, exited, signalled, timed_out };
  End end = End::stopped;
  int code = 0;              ///< exit status or signal number
  std::int64_t span_ns = 0;  ///< from before SIGCONT until the stop is seen
  std::int64_t cpu_ns = 0;   ///< CPU time of the worker during the round
  /// Sum over threads: time ready to run while something else ran. Known only for several threads.
  std::int64_t waited_ns = 0;
  std::int64_t own_switches = 0;  ///< that it caused by waiting, beyond the final stop
  bool orders_left = false;  ///< it stopped where an honest worker does, before all of its calls
  /// Somebody else stopped or continued the worker or this process: times mean nothing.
  bool suspended = false;
};

/// Stops a round once, at a moment that the worker cannot foresee.
struct Interruption {
  std::int64_t after_ns = 0;
  /// Called while the worker is stopped, with the number of orders that it has taken.
  std::function<void(std::size_t taken)> look;
};

/// The judge's observations of a stopped worker.
struct Inspection {
  bool registers_read = false;  ///< false: tracing is forbidden here, and the next two are unknown
  bool at_stop_site = true;     ///< stopped where an honest worker does
  bool float_control = true;    ///< rounding, exception masks and flushing are at their defaults
  int threads = 1;
};

class Worker {
 public:
  Worker() = default;
  /// Spawns the process, which stops before loading. Errors: no sandbox, no memory.
  static Result<Worker> start(const WorkerSpec& spec, Watchdog& watchdog);
  Worker(Worker&&) = default;
  Worker& operator=(Worker&&) = default;

  /// Loads the candidate, maps the tensors and locks the process in. Any end but `stopped` is the
  /// candidate's fault.
  Round load();
  /// Runs one round of calls (none: an empty round) within `limit_ns` in total. `launches`: the
  /// launches of each call, for an OpenCL program. `interruption`: null, or one to make.
  Round run(const std::vector<wire::Call>& calls, const std::vector<wire::Launch>& launches,
            std::int64_t limit_ns, const Interruption* interruption = nullptr);
  /// Gives orders of another kind. `prepare`: runs the candidate's `prepare`, which must exist. For
  /// Python baselines, `copy_inputs`: copy the inputs of the coming round that they change, and
  /// `deliver`: copy the results of the last round to the outputs.
  Round order(wire::Order::Kind kind, const std::vector<wire::Call>& calls, std::int64_t limit_ns);
  /// Inspects registers and threads of the stopped worker. Takes about 15 us.
  Inspection inspect();
  pid_t pid() const { return process_.pid(); }

 private:
  Round resume(std::int64_t limit_ns, const Interruption* interruption = nullptr);
  void send(wire::Order::Kind kind, const std::vector<wire::Call>& calls);
  bool settle();
  void interrupt(const Interruption& interruption);
  void go_on(Round& round);
  void pass_stop();
  bool stopped_elsewhere() const;
  Inspection look() const;
  Round wait_for_stop();
  std::size_t orders_untaken() const;

  std::unique_ptr<JobFolder> folder_;  ///< where an OpenCL program is unpacked
  SandboxedProcess process_;
  SharedMemory control_;
  Fd orders_read_,
      orders_write_;  ///< both ends: writing to an ended worker breaks no pipe
  Watchdog* watchdog_ = nullptr;
  int threads_ = 1;
  bool locked_ = false;  ///< system calls are filtered once it has loaded
  std::int64_t load_limit_ns_ = 0;
  clockid_t cpu_clock_ = 0;
  std::size_t max_calls_ = 0;
  std::size_t sent_ = 0;  ///< orders of the round
  std::uint64_t stop_address_ = 0;
  std::uint64_t stop_stack_ = 0;
  rusage used_{};  ///< resource usage of the worker when it was last seen stopped
  int suspensions_ = 0;
  int inspections_ = 0;  ///< since the last round
  bool settled_ = true;  ///< the worker was stopped when it got its orders
};

}  // namespace ke
