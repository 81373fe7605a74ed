#pragma once
// Starts an untrusted process behind the walls of a SandboxLevel and ends its whole tree.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "core/result.hpp"
#include "fitness/sandbox/cgroup.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// How a sandboxed process ended.
struct SandboxExit {
  enum class Kind { exited, signalled, running };  ///< running: the time ran out first
  Kind kind = Kind::running;
  int code = 0;             ///< exit status or signal number
  std::int64_t cpu_ns = 0;  ///< user and system time of it and of its reaped children
  std::int64_t max_rss_bytes = 0;

  bool succeeded() const { return kind == Kind::exited && code == 0; }
};

/// A running sandboxed process: a direct child of this process, so waitid(P_PID, ..., WSTOPPED)
/// works on it. It is not the first process of its pid namespace, so it can stop itself by SIGSTOP.
/// It dies with the thread that spawned it (PDEATHSIG) and with this process (life line); spawn
/// from a thread that lives as long as the process shall. The destructor is kill_all().
class SandboxedProcess {
 public:
  SandboxedProcess() = default;
  SandboxedProcess(pid_t pid, pid_t helper, Fd pidfd, Fd lifeline, SandboxLevel level,
                   Cgroup cgroup);
  SandboxedProcess(SandboxedProcess&& other) noexcept { *this = std::move(other); }
  SandboxedProcess& operator=(SandboxedProcess&& other) noexcept;
  ~SandboxedProcess() { kill_all(); }

  /// Process id as this process sees it: for waitid, kill and /proc/PID.
  pid_t pid() const { return pid_; }
  /// Becomes readable when the process has ended.
  int pidfd() const { return pidfd_.get(); }
  bool running() const { return pid_ > 0; }

  /// Sends `signal` to the process (never to a recycled pid).
  void signal(int signal) const;
  /// Waits until it ended or `timeout` passed (Kind::running, nothing is killed then). The zombie
  /// is left for kill_all(), so its pid stays ours.
  SandboxExit wait(std::chrono::nanoseconds timeout) const;
  /// Kills every process of the tree and reaps this one. Idempotent. At level namespaces it returns
  /// when none is left; below, orphans have got SIGKILL and vanish within a moment (at rlimits, as
  /// an ordinary user, one that left its session survives).
  void kill_all();

 private:
  pid_t pid_ = -1;
  pid_t helper_ = -1;
  Fd pidfd_;
  Fd lifeline_;
  SandboxLevel level_ = SandboxLevel::namespaces;
  Cgroup cgroup_;
};

/// Starts spec.argv[0] at exactly spec.level. An Error names the step that failed; nothing is left
/// running then. About 1 to 3 ms; the caller's memory is never copied (vfork-like).
Result<SandboxedProcess> spawn(const SandboxSpec& spec);

}  // namespace ke
