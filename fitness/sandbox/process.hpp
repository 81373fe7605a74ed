#pragma once
// Starts an untrusted process at a SandboxLevel and ends its whole tree.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "core/result.hpp"
#include "fitness/sandbox/cgroup.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// The end of a sandboxed process.
struct SandboxExit {
  enum class Kind { exited, signalled, running };  ///< running: the timeout came first
  Kind kind = Kind::running;
  int code = 0;             ///< exit status or signal number
  std::int64_t cpu_ns = 0;  ///< user and system time of the process and its reaped children
  std::int64_t max_rss_bytes = 0;

  bool succeeded() const { return kind == Kind::exited && code == 0; }
};

/// A running sandboxed process: a direct child of this process, so waitid(P_PID, ..., WSTOPPED)
/// works on it. It is not pid 1 of its namespace, so it can stop itself with SIGSTOP. It dies with
/// the thread that spawned it (PDEATHSIG) and with this process (life line), so spawn from a thread
/// that lives as long as the process should. The destructor calls kill_all().
class SandboxedProcess {
 public:
  SandboxedProcess() = default;
  SandboxedProcess(pid_t pid, pid_t helper, Fd pidfd, Fd lifeline, SandboxLevel level,
                   Cgroup cgroup);
  SandboxedProcess(SandboxedProcess&& other) noexcept { *this = std::move(other); }
  SandboxedProcess& operator=(SandboxedProcess&& other) noexcept;
  ~SandboxedProcess() { kill_all(); }

  /// Process id in this process's namespace: for waitid, kill and /proc/PID.
  pid_t pid() const { return pid_; }
  /// Becomes readable when the process has ended.
  int pidfd() const { return pidfd_.get(); }
  bool running() const { return pid_ > 0; }

  /// Sends `signal` to the process (never to a recycled pid).
  void signal(int signal) const;
  /// Waits until it ends or `timeout` passes (Kind::running, without killing anything). Leaves the
  /// zombie to kill_all(), so that the pid is not reused.
  SandboxExit wait(std::chrono::nanoseconds timeout) const;
  /// Kills every process of the tree and reaps this one. Idempotent. At level namespaces it returns
  /// when none is left; at lower levels, orphans have received SIGKILL and vanish within a moment
  /// (at rlimits, for an ordinary user, one that left its session survives).
  void kill_all();

 private:
  pid_t pid_ = -1;
  pid_t helper_ = -1;
  Fd pidfd_;
  Fd lifeline_;
  SandboxLevel level_ = SandboxLevel::namespaces;
  Cgroup cgroup_;
};

/// Starts spec.argv[0] at exactly spec.level. Error: the step that failed; nothing is left running.
/// Takes about 1 to 3 ms and never copies the caller's memory (vfork-like).
Result<SandboxedProcess> spawn(const SandboxSpec& spec);

}  // namespace ke
