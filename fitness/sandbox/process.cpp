#include "fitness/sandbox/process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fitness/sandbox/fd.hpp"

namespace ke {
namespace {

struct Pipe {
  Fd read_end;
  Fd write_end;
};

Result<Pipe> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return os_error("sandbox: pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// Puts the request into a memory file: no size limit as in a pipe, nothing on disk.
Result<Fd> spec_file(const SandboxSpec& spec) {
  Fd file(memfd_create("sandbox", MFD_CLOEXEC));
  if (!file) return os_error("sandbox: memfd_create");
  const std::string bytes = encode(spec);
  if (pwrite(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return os_error("sandbox: writing the request");
  }
  return file;
}

class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  // Keeps the number and clears only the close-on-exec flag, only in the child.
  void keep(int fd) { posix_spawn_file_actions_adddup2(&actions_, fd, fd); }
  int run(pid_t* pid, char* const* argv) {
    char* const no_environment[] = {nullptr};
    return posix_spawn(pid, argv[0], &actions_, &attributes_, argv, no_environment);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

Result<pid_t> start_helper(const SandboxSpec& spec, int request, int status, int lifeline) {
  SpawnPlan plan;
  for (const int fd : {request, status, lifeline}) plan.keep(fd);
  for (const InheritedFd& fd : spec.fds) plan.keep(fd.source);
  for (const int fd : spec.cgroup_procs) plan.keep(fd);
  std::string words[] = {spec.tools_dir + "/kernelevolve-sandbox", std::to_string(request),
                         std::to_string(status), std::to_string(lifeline)};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t pid = -1;
  if (const int rc = plan.run(&pid, argv); rc != 0) {
    return Error{Failure::io,
                 fmt::format("sandbox: cannot start {}: {}", words[0], std::strerror(rc))};
  }
  return pid;
}

// Messages end with a zero byte: `P<pid>` from the helper, `E<text>` from whichever process failed,
// in any order. The stream ends when exec has started the process, or when all have ended.
struct Answer {
  pid_t pid = -1;
  std::string problem;
};

std::string read_all(int fd) {
  std::string bytes;
  char buffer[512];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

Answer read_answer(int fd) {
  const std::string bytes = read_all(fd);
  Answer answer;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string message = bytes.c_str() + at;
    if (message.starts_with('P')) answer.pid = std::atoi(message.c_str() + 1);
    if (message.starts_with('E')) answer.problem = message.substr(1);
    at += message.size() + 1;
  }
  if (answer.pid <= 0 && answer.problem.empty()) answer.problem = "the helper gave no answer";
  return answer;
}

void reap(pid_t pid) {
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) < 0 && errno == EINTR) {
  }
}

}  // namespace

SandboxedProcess::SandboxedProcess(pid_t pid, pid_t helper, Fd pidfd, Fd lifeline,
                                   SandboxLevel level, Cgroup cgroup)
    : pid_(pid),
      helper_(helper),
      pidfd_(std::move(pidfd)),
      lifeline_(std::move(lifeline)),
      level_(level),
      cgroup_(std::move(cgroup)) {}

SandboxedProcess& SandboxedProcess::operator=(SandboxedProcess&& other) noexcept {
  if (this == &other) return *this;
  kill_all();
  pid_ = std::exchange(other.pid_, -1);
  helper_ = std::exchange(other.helper_, -1);
  pidfd_ = std::move(other.pidfd_);
  lifeline_ = std::move(other.lifeline_);
  level_ = other.level_;
  cgroup_ = std::move(other.cgroup_);
  return *this;
}

void SandboxedProcess::signal(int signal) const {
  if (pidfd_) syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
}

SandboxExit SandboxedProcess::wait(std::chrono::nanoseconds timeout) const {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  for (;;) {
    const auto left = deadline - std::chrono::steady_clock::now();
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready = poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(milliseconds, 0)));
    if (ready > 0) break;
    if (ready == 0 && milliseconds <= 0) return {};
  }
  siginfo_t info{};
  rusage usage{};
  syscall(SYS_waitid, P_PID, pid_, &info, WEXITED | WNOWAIT, &usage);
  SandboxExit exit;
  exit.kind = info.si_code == CLD_EXITED ? SandboxExit::Kind::exited : SandboxExit::Kind::signalled;
  exit.code = info.si_status;
  const auto ns = [](const timeval& t) { return t.tv_sec * 1'000'000'000 + t.tv_usec * 1'000; };
  exit.cpu_ns = ns(usage.ru_utime) + ns(usage.ru_stime);
  exit.max_rss_bytes = usage.ru_maxrss * 1024;
  return exit;
}

void SandboxedProcess::kill_all() {
  if (pid_ <= 0) return;
  signal(SIGKILL);
  // The zombie still holds the number, so the group is still ours.
  if (level_ != SandboxLevel::namespaces) kill(-pid_, SIGKILL);
  lifeline_.reset();  // the helper kills what is left, then ends
  reap(pid_);
  reap(helper_);
  cgroup_.remove();
  pid_ = helper_ = -1;
  pidfd_.reset();
}

Result<SandboxedProcess> spawn(const SandboxSpec& wanted) {
  SandboxSpec spec = wanted;
  Cgroup cgroup;
  if (spec.cgroup)
    cgroup = Cgroup(find_cgroups(), spec.cgroup_memory_bytes, spec.limits.processes + 2);
  for (const Fd& procs : cgroup.procs()) spec.cgroup_procs.push_back(procs.get());
  KE_TRY(Pipe status, open_pipe());
  KE_TRY(Pipe lifeline, open_pipe());
  KE_TRY(const Fd request, spec_file(spec));
  KE_TRY(const pid_t helper,
         start_helper(spec, request.get(), status.write_end.get(), lifeline.read_end.get()));
  status.write_end.reset();
  lifeline.read_end.reset();
  const Answer answer = read_answer(status.read_end.get());
  if (answer.pid <= 0) {
    lifeline.write_end.reset();
    reap(helper);
    return Error{Failure::io, "sandbox: " + answer.problem};
  }
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, answer.pid, 0)));
  SandboxedProcess process(answer.pid, helper, std::move(pidfd), std::move(lifeline.write_end),
                           spec.level, std::move(cgroup));
  if (!answer.problem.empty()) return Error{Failure::io, "sandbox: " + answer.problem};
  return process;
}

}  // namespace ke
